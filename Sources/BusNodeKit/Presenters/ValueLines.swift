import ErrorBus
import Glibc
import Synchronization

/// The values of an option's fields, typed line by line.
struct ValueLines: Hashable {
    /// The result of a line.
    enum Result: Hashable {
        /// The line gave a value; the next field follows.
        case next
        /// The line is no value of the field, which the terminal asks for again.
        case refused(String)
        /// The person went back.
        case left
        /// All values that were given.
        case complete([String: JSONValue])
    }

    private static let escape = "\u{1B}"

    let option: ErrorReport.Option
    private var index = 0
    private var given: [String: JSONValue] = [:]

    /// - Parameter option: An option with at least one field.
    init(_ option: ErrorReport.Option) { self.option = option }

    var field: ErrorReport.Field { option.fields[index] }

    /// The lines that ask for the current field.
    ///
    /// - Parameter escape: What Esc does, in words.
    func lines(columns: Int, escape: String = "goes back") -> [String] {
        let count = option.fields.count > 1 ? "\(index + 1)/\(option.fields.count) " : ""
        let hidden = field.isSecret ? ", not shown as you type" : ""
        return PromptText.broken(
            "\(PromptKeys.shownTitle(of: option)): \(count)\(field.request.shown())\(hidden)",
            columns: columns) + ["  Esc and Return \(escape)."]
    }

    /// The refusal of several lines that came at once.
    var severalRefused: String {
        let way =
            field.isSecret
            ? "enter one line; bus-node inbox answer --value-file takes a secret of several lines"
            : "enter one line"
        return "several lines came at once, as from a paste: none of them was taken; \(way)"
    }

    mutating func entered(_ line: String) -> Result {
        guard line != Self.escape else { return .left }
        do throws(FieldFault) {
            given[field.name] = try field.taken(line)
        } catch {
            return .refused("\(error)")
        }
        guard index < option.fields.count - 1 else { return .complete(given) }
        index += 1
        return .next
    }
}

/// The echo of a terminal: whether it shows the typed text.
enum TerminalEcho {
    private static let before = Mutex<termios?>(nil)
    /// The address of the same for handlers of signals, which may not wait for a lock; 0 without.
    private static let address = Atomic<Int>(0)
    private static var kept: UnsafeMutablePointer<termios>? {
        UnsafeMutablePointer(bitPattern: address.load(ordering: .acquiring))
    }
    private static let isRegistered = Mutex(false)

    static func set(_ isOn: Bool) {
        guard !isOn else { return restore() }
        guard isatty(STDIN_FILENO) != 0 else { return }
        // At the end of the process, too, the terminal is as it was.
        let isFirst = isRegistered.withLock { isRegistered in
            defer { isRegistered = true }
            return !isRegistered
        }
        if isFirst { atexit { TerminalEcho.restore() } }
        before.withLock { before in
            var settings = termios()
            guard before == nil, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            before = settings
            keep(settings)
            settings.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        }
    }

    static func restore() {
        before.withLock { before in
            guard var settings = before else { return }
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
            before = nil
            keep(nil)
        }
    }

    private static func keep(_ settings: termios?) {
        var new: UnsafeMutablePointer<termios>?
        if let settings {
            new = .allocate(capacity: 1)
            new?.initialize(to: settings)
        }
        // A handler may be using the former one, which is small: it stays.
        address.store(Int(bitPattern: new), ordering: .releasing)
    }

    /// Restores the terminal also when a signal ends this process, or stops it until it goes on.
    /// For a process that has no other use for these signals.
    static func survivesSignals() {
        let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
        for number in numbers where !ReceivedSignal.isIgnored(number) { trap(number) }
        signal(SIGCONT) { _ in
            if !ReceivedSignal.isIgnored(SIGTSTP) { TerminalEcho.trap(SIGTSTP) }
            guard let kept = TerminalEcho.kept else { return }
            var settings = kept.pointee
            settings.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
    }

    private static func trap(_ number: CInt) {
        signal(number) { number in
            if let kept = TerminalEcho.kept { tcsetattr(STDIN_FILENO, TCSANOW, kept) }
            signal(number, SIG_DFL)
            raise(number)
        }
    }
}
