/// Knows what a terminal shows, and writes what differs from what it should.
struct ScreenPainter {
    let isColored: Bool
    private var shown: [ScreenLine] = []
    private var size: ScreenSize?

    init(isColored: Bool) { self.isColored = isColored }

    /// Nothing of what was written is there any more.
    mutating func forget() { size = nil }

    /// What brings these lines onto the screen, in one piece; empty where they are there.
    mutating func paint(_ lines: [ScreenLine], _ size: ScreenSize) -> String {
        var text = ""
        if size != self.size {
            self.size = size
            shown = []
            text = "\u{1B}[0m\u{1B}[2J"
        }
        for row in 0..<size.rows {
            let line = row < lines.count ? lines[row] : ScreenLine()
            let before = row < shown.count ? shown[row] : ScreenLine()
            guard line != before else { continue }
            text += "\u{1B}[\(row + 1);1H\(TextStyle.reset)\u{1B}[2K"
            for part in line.parts where part.column < size.columns {
                text += "\u{1B}[\(part.column + 1)G" + part.style.sequence(isColored: isColored)
                text += part.text
            }
            text += TextStyle.reset
        }
        shown = lines
        return text
    }
}
