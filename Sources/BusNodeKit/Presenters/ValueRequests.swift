package import ErrorBus
import Glibc

/// The requests of a command at a terminal for the values of an option, one line each.
package enum ValueRequests {
    /// Asks for the value of each field. A secret is not shown as it is typed.
    ///
    /// - Parameter option: An option with at least one field.
    /// - Throws: When the person cancels, or the input ends.
    package static func ask(
        for option: ErrorReport.Option
    ) throws(Failure) -> [String: JSONValue] {
        var form = ValueLines(option)
        TerminalEcho.survivesSignals()
        defer { TerminalEcho.restore() }
        while true {
            TerminalEcho.set(!form.field.isSecret)
            let request = form.lines(columns: Terminal.columnCount, escape: "cancels")
            Terminal.ask(request.joined(separator: "\n"))
            let line = readLine()
            let isPaste = line != nil && othersFollow()
            Terminal.stopAsking()
            if form.field.isSecret { Terminal.say("") }
            guard let line else { throw cancelled }
            guard !isPaste else {
                Terminal.say("  \(form.severalRefused)")
                continue
            }
            guard line.utf8.count <= InputLines.terminalByteCountMax else {
                Terminal.say("  found a longer line than the terminal takes whole")
                continue
            }
            switch form.entered(line) {
            case .next: continue
            case .refused(let fault): Terminal.say("  \(fault.shown())")
            case .left: throw cancelled
            case .complete(let values): return values
            }
        }
    }

    /// Whether further lines come at once, as of a paste; they are dropped.
    private static func othersFollow() -> Bool {
        var item = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&item, 1, HeldLines.pauseMilliseconds) > 0 else { return false }
        tcflush(STDIN_FILENO, TCIFLUSH)
        return true
    }

    private static let cancelled = Failure(.declined, "cancelled: nothing was answered")
}
