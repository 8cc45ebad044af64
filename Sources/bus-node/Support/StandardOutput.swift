import Glibc

/// Data for scripts. What cannot be written fails the command: a lost answer is no answer.
enum StandardOutput {
    /// - Throws: When it cannot be written whole.
    static func print(_ line: String) throws(Failure) { try write(Array((line + "\n").utf8)) }

    static func print(_ line: [UInt8]) throws(Failure) { try write(line + [UInt8(ascii: "\n")]) }

    static func print(_ lines: [String]) throws(Failure) {
        try write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Prints a list for people. Whoever reads it may stop when they have enough, as `head` does:
    /// that ends the command without a word, with the status of a broken pipe.
    ///
    /// - Throws: When it cannot be written whole.
    static func show(_ lines: [String]) throws {
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        switch Terminal.write(bytes, to: STDOUT_FILENO) {
        case nil: return
        case EPIPE: throw Interrupted(signal: SIGPIPE)
        case let problem?: throw failure(problem)
        }
    }

    private static func write(_ bytes: [UInt8]) throws(Failure) {
        guard let problem = Terminal.write(bytes, to: STDOUT_FILENO) else { return }
        throw failure(problem)
    }

    private static func failure(_ problem: CInt) -> Failure {
        Failure(
            .outputFailed, "standard output: not written: \(String(cString: strerror(problem)))")
    }
}
