//! Keeps the signals of the program away from the engine's threads: its handlers run on its own threads, and writing to a
//! closed connection is an error instead of SIGPIPE, which ends a program that does not ignore it.

/// For the current thread and those that it starts.
#[cfg(unix)]
pub(crate) fn block() {
    // Blocking these is undefined, because they report an error of the thread itself.
    const OWN: [libc::c_int; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];
    unsafe {
        let mut signals = std::mem::zeroed();
        libc::sigfillset(&mut signals);
        for signal in OWN {
            libc::sigdelset(&mut signals, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &signals, std::ptr::null_mut());
    }
}

#[cfg(not(unix))]
pub(crate) fn block() {}
