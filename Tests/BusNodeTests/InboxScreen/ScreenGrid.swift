@testable import BusNodeKit

/// A terminal of the sort that a screen is written for: it obeys what a painter writes and shows
/// everything else, so that an escape sequence in a text comes out as what it does.
struct ScreenGrid {
    let size: ScreenSize
    private(set) var cells: [[String]]
    /// What was written that a painter has no business to write.
    private(set) var strays: [String] = []
    private var row = 0
    private var column = 0

    init(_ size: ScreenSize) {
        self.size = size
        cells = Self.blank(size)
    }

    private static func blank(_ size: ScreenSize) -> [[String]] {
        Array(repeating: Array(repeating: " ", count: size.columns), count: size.rows)
    }

    /// Each row without the blanks behind it.
    var text: String {
        cells.map { row in
            var row = row
            while row.last == " " { row.removeLast() }
            return row.joined()
        }.joined(separator: "\n") + "\n"
    }

    mutating func write(_ text: String) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{1B}", rest.first == "[" {
                rest.removeFirst()
                let parameters = rest.prefix { !("@"..."~").contains($0) }
                rest = rest[parameters.endIndex...]
                if let final = rest.popFirst() { obey(String(parameters), final) }
            } else {
                put(scalar)
            }
        }
    }

    private mutating func obey(_ parameters: String, _ final: Unicode.Scalar) {
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch (final, numbers.count) {
        case ("H", 2): (row, column) = (numbers[0] - 1, numbers[1] - 1)
        case ("G", 1): column = numbers[0] - 1
        case ("m", _): break
        case ("J", 1): cells = Self.blank(size)
        case ("K", 1): cells[row] = Self.blank(size)[0]
        default: strays.append("ESC[\(parameters)\(final)")
        }
    }

    private mutating func put(_ scalar: Unicode.Scalar) {
        if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
            strays.append("U+\(String(scalar.value, radix: 16))")
            return
        }
        let width = TextWidth.columns(of: scalar)
        guard width > 0 else {
            let last = max(0, min(column, size.columns) - 1)
            cells[row][last].unicodeScalars.append(scalar)
            return
        }
        // Without wrapping, what does not fit goes nowhere.
        guard column + width <= size.columns else { return strays.append("beyond the edge") }
        cells[row][column] = String(scalar)
        if width == 2 { cells[row][column + 1] = "" }
        column += width
    }
}
