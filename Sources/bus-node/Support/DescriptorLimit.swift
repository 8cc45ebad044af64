import Glibc

/// How many files, sockets and pipes this process may have open.
enum DescriptorLimit {
    /// Uses all that the system allows: each child of a node is one, and a shell's usual 1024 is a
    /// limit for programs that use `select`, which this one does not.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < limit.rlim_max
        else { return }
        limit.rlim_cur = limit.rlim_max
        // Refused, it stays what it was.
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
