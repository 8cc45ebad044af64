/// One line of a screen: texts, each at a column of its own. Escaping is the drawer's: what is
/// here is written as it stands.
struct ScreenLine: Hashable {
    struct Part: Hashable {
        let column: Int
        let text: String
        let style: TextStyle
    }

    private(set) var parts: [Part] = []

    init() {}

    init(_ text: String, at column: Int = 0, width: Int, _ style: TextStyle = []) {
        add(text, at: column, width: width, style)
    }

    /// The text, cut to `width` columns.
    mutating func add(_ text: String, at column: Int, width: Int, _ style: TextStyle = []) {
        guard width > 0, !text.isEmpty else { return }
        parts.append(
            Part(column: column, text: TextWidth.clipped(text, to: width), style: style))
    }

    /// The text, ending before `end`.
    mutating func addRight(_ text: String, before end: Int, width: Int, _ style: TextStyle = []) {
        let text = TextWidth.clipped(text, to: width)
        add(text, at: end - TextWidth.columns(of: text), width: width, style)
    }

    mutating func fill(_ columns: Range<Int>, _ style: TextStyle) {
        add(
            String(repeating: " ", count: columns.count), at: columns.lowerBound,
            width: columns.count, style)
    }

    func shifted(by columns: Int) -> ScreenLine {
        var line = self
        line.parts = parts.map {
            Part(column: $0.column + columns, text: $0.text, style: $0.style)
        }
        return line
    }

    mutating func overlay(_ other: ScreenLine) { parts += other.parts }
}
