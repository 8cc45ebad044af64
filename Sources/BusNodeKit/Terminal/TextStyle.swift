import ErrorBus

/// The style of text on a terminal. Colours can be turned off; words or marks say the same.
struct TextStyle: OptionSet, Hashable {
    let rawValue: Int

    static let bold = TextStyle(rawValue: 1)
    static let dim = TextStyle(rawValue: 2)
    static let reversed = TextStyle(rawValue: 4)
    static let red = TextStyle(rawValue: 8)
    static let yellow = TextStyle(rawValue: 16)
    static let green = TextStyle(rawValue: 32)
    static let cyan = TextStyle(rawValue: 64)

    private static let codes: [(TextStyle, String)] = [
        (.bold, "1"), (.dim, "2"), (.reversed, "7"), (.red, "31"), (.yellow, "33"), (.green, "32"),
        (.cyan, "36"),
    ]
    private static let colors: TextStyle = [.red, .yellow, .green, .cyan]

    static let reset = "\u{1B}[0m"

    /// The sequence that switches a terminal to this style from any other.
    func sequence(isColored: Bool) -> String {
        let shown = isColored ? self : subtracting(Self.colors)
        let codes = Self.codes.filter { shown.contains($0.0) }.map(\.1)
        return "\u{1B}[" + (["0"] + codes).joined(separator: ";") + "m"
    }
}

/// The mark and colour of a severity, the same everywhere. The marks suffice without colours.
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
