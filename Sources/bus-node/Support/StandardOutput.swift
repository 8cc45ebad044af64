import ErrorBus
import Glibc

/// Data for scripts. What cannot be written fails the command: a lost answer is no answer.
enum StandardOutput {
    /// - Throws: When it cannot be written whole.
    static func print(_ line: String) throws(Failure) { try write(Array((line + "\n").utf8)) }

    /// JSON as one line, with nothing in it that a terminal obeys or hides.
    static func print(_ json: JSONValue) throws(Failure) { try print(json.encoded()) }

    /// The same of JSON that is encoded.
    static func print(_ json: [UInt8]) throws(Failure) { try write(line(json)) }

    static func print(_ lines: [String]) throws(Failure) {
        try write(Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// Prints a list for people. Its reader may stop after the first lines, as `head` does:
    /// that ends the command without a word, with the status of a broken pipe.
    ///
    /// - Throws: When it cannot be written whole.
    static func show(_ lines: [String]) throws {
        try show(bytes: Array(lines.map { $0 + "\n" }.joined().utf8))
    }

    /// The same of a list as JSON.
    static func show(_ json: JSONValue) throws { try show(bytes: line(json.encoded())) }

    private static func line(_ json: [UInt8]) -> [UInt8] {
        JSONEscapes.escapingInvisible(in: json) + [UInt8(ascii: "\n")]
    }

    private static func show(bytes: [UInt8]) throws {
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
