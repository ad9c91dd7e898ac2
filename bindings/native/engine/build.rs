//! Compiles the JavaScript of the engine to bytecode, with the very QuickJS that will load it.
//! The bundle is made by `node scripts/bundle-engine.ts`; a source distribution contains it.

use rquickjs::{module::WriteOptions, Context, Module, Runtime};
use std::{env, fs, path::Path};

fn main() {
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    for (name, source) in [("prelude", "js/prelude.js"), ("engine", "bundle/engine.js")] {
        println!("cargo:rerun-if-changed={source}");
        let text = fs::read_to_string(source).unwrap_or_else(|error| {
            panic!("{source}: {error}. Run `node scripts/bundle-engine.ts` in the checkout first.")
        });
        let bytecode = compile(name, &text);
        fs::write(Path::new(&out).join(format!("{name}.bin")), bytecode).expect("OUT_DIR is writable");
    }
}

fn compile(name: &str, source: &str) -> Vec<u8> {
    let runtime = Runtime::new().expect("QuickJS starts");
    runtime.set_max_stack_size(8 * 1024 * 1024);
    let context = Context::full(&runtime).expect("QuickJS starts");
    context.with(|ctx| {
        Module::declare(ctx.clone(), name, source)
            .and_then(|module| module.write(WriteOptions::default()))
            .unwrap_or_else(|error| panic!("{name}: {error}: {:?}", ctx.catch()))
    })
}
