public import Logging

extension Logger {
    /// A logger that drops everything, for checks whose failures say enough themselves.
    public static var silent: Logger {
        Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    }
}
