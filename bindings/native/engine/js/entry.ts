// The module that the native library runs after the prelude: the engine with the native host.

import { createEngine, type Engine, type EngineHost } from '../../../../src/embed/index.ts';

const scope = globalThis as unknown as { readonly host: EngineHost; engine: Engine };
scope.engine = createEngine(scope.host);
