import Foundation

/// Draws shapes over an axis of seconds, as SVG text.
struct SVGCanvas {
    /// A line that steps up at each time.
    struct Curve {
        let name: String
        let color: String
        /// In order.
        let times: [Double]
    }

    let left: Double
    let right: Double
    /// Seconds from left to right.
    let span: Double

    func x(_ time: Double) -> Double { left + min(max(time, 0), span) / span * (right - left) }

    func header(width: Double, height: Double) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="\(n(width))" height="\(n(height))" \
        viewBox="0 0 \(n(width)) \(n(height))" font-family="sans-serif">
        <rect width="100%" height="100%" fill="#ffffff"/>
        """
    }

    func title(_ text: String, y: Double) -> String {
        self.text(text, x: 20, y: y, size: 12, isBold: true)
    }

    func text(
        _ text: String, x: Double, y: Double, size: Int, color: String = "#24292f",
        anchor: String = "start", isBold: Bool = false
    ) -> String {
        let weight = isBold ? " font-weight=\"bold\"" : ""
        return "<text x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(size)\" fill=\"\(color)\" "
            + "text-anchor=\"\(anchor)\"\(weight)>\(Self.escaped(text))</text>"
    }

    func box(x: Double, y: Double, width: Double, height: Double, color: String) -> String {
        "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width))\" height=\"\(n(height))\" "
            + "fill=\"\(color)\"/>"
    }

    func bar(
        from start: Double, to end: Double, y: Double, height: Double, color: String,
        tip: String? = nil
    ) -> String {
        let width = max(1, x(end) - x(start))
        let title = tip.map { "<title>\(Self.escaped($0))</title>" } ?? ""
        return "<rect x=\"\(n(x(start)))\" y=\"\(n(y))\" width=\"\(n(width))\" "
            + "height=\"\(n(height))\" fill=\"\(color)\">\(title)</rect>"
    }

    func dot(at x: Double, y: Double, radius: Double, color: String) -> String {
        "<circle cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"\(n(radius))\" fill=\"\(color)\"/>"
    }

    func cross(at x: Double, y: Double, color: String) -> String {
        "<path d=\"M\(n(x - 4)) \(n(y - 4))l8 8m0 -8l-8 8\" stroke=\"\(color)\" "
            + "stroke-width=\"2\" fill=\"none\"/>"
    }

    func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, color: String, dash: String = ""
    ) -> String {
        "<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" "
            + "stroke=\"\(color)\" stroke-dasharray=\"\(dash)\"/>"
    }

    /// A vertical line every so many seconds, about fifteen of them.
    func grid(from top: Double, to bottom: Double) -> [String] {
        let steps: [Double] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200]
        let step = steps.first { span / $0 <= 15 } ?? span
        return stride(from: 0, through: span, by: step).flatMap { time in
            [
                line(x(time), top, x(time), bottom, color: "#d8dee4"),
                text(
                    "\(Int(time)) s", x: x(time), y: bottom + 16, size: 10, color: "#57606a",
                    anchor: "middle"),
            ]
        }
    }

    /// Curves over one scale, with their names and last values.
    func chart(_ curves: [Curve], top: Double, height: Double) -> [String] {
        let highest = Double(max(1, curves.map(\.times.count).max() ?? 1))
        func y(_ count: Int) -> Double { top + height - Double(count) / highest * height }
        var parts = [line(left, top + height, right, top + height, color: "#57606a")]
        for fraction in [0.0, 0.5, 1.0] {
            let count = Int(highest * fraction)
            parts.append(
                text(
                    String(count), x: left - 8, y: y(count) + 4, size: 10, color: "#57606a",
                    anchor: "end"))
        }
        for (index, curve) in curves.enumerated() {
            // At most a thousand points: more are not to be seen.
            let stride = max(1, curve.times.count / 1_000)
            var path = "M\(n(left)) \(n(y(0)))"
            for (number, time) in curve.times.enumerated()
            where number % stride == 0 || number == curve.times.count - 1 {
                path += "H\(n(x(time)))V\(n(y(number + 1)))"
            }
            parts.append(
                "<path d=\"\(path)H\(n(right))\" stroke=\"\(curve.color)\" stroke-width=\"1.5\" "
                    + "fill=\"none\"/>")
            let rowY = top + 14 + Double(index) * 16
            parts.append(box(x: 20, y: rowY - 8, width: 10, height: 10, color: curve.color))
            parts.append(
                text("\(curve.name) \(curve.times.count)", x: 36, y: rowY + 1, size: 11))
        }
        return parts
    }

    private func n(_ value: Double) -> String { Self.number(value) }

    /// One digit is a tenth of a pixel.
    static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
