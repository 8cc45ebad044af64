import Glibc

/// Standard input, output and error, which a parent may have closed.
enum StandardDescriptors {
    /// Takes the numbers that are free, so that no socket of ours becomes an output. To be
    /// called before anything is opened.
    ///
    /// Opened the wrong way round: reading or writing fails, as it would on the closed one, here
    /// and in every command that inherits it.
    static func reserve() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number is this one: those below it are taken.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
