import ErrorBus

/// How bad something is, for the eye: the same mark and colour wherever people are asked. The
/// marks tell without colours.
enum SeverityLook {
    static func mark(_ severity: Severity) -> String {
        switch severity {
        case .debug: "·"
        case .info: "i"
        case .warning: "!"
        case .error: "✕"
        case .critical: "‼"
        }
    }

    static func style(_ severity: Severity) -> TextStyle {
        switch severity {
        case .debug, .info: .bold
        case .warning: [.bold, .yellow]
        case .error, .critical: [.bold, .red]
        }
    }
}
