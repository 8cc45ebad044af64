import BusNodeKit
import ErrorBus
import Foundation

/// A run as a picture: the faults of links and processes, and the progress of the presentations,
/// over one time axis.
package struct ChaosTimeline {
    private static let width = 1_240.0
    /// The approximate width of a letter in a row's name.
    private static let letterWidth = 6.4
    private static let rowHeight = 18.0
    private static let chartHeight = 190.0
    private static let top = 74.0

    let result: ChaosResult
    let plan: ChaosPlan
    let marks: [NodeName: [ChaosProcess.Mark]]
    let start: ContinuousClock.Instant
    let events: [LedgerEvent]
    /// Seconds since 1970 at the start, for the events' wall-clock times.
    let wallStart: Double

    /// The seconds that the picture spans.
    private var span: Double {
        let last = curves.flatMap(\.times).max() ?? 0
        return max(result.settings.duration.seconds + (result.settling?.seconds ?? 0), last) + 1
    }

    package var svg: String {
        let curves = curves
        let canvas = SVGCanvas(left: left, right: Self.width - 40, span: span)
        let rowsTop = Self.top
        let linkRows = plan.links.count
        let processTop = rowsTop + Double(linkRows) * Self.rowHeight + 34
        let chartTop = processTop + Double(plan.processes.count) * Self.rowHeight + 40
        let height = chartTop + Self.chartHeight + 60
        var parts = [canvas.header(width: Self.width, height: height)]
        parts += heading(canvas)
        parts += canvas.grid(from: rowsTop - 6, to: chartTop + Self.chartHeight)
        parts += healed(canvas, from: rowsTop - 6, to: chartTop + Self.chartHeight)
        parts += linkLegend(canvas, y: rowsTop - 10)
        for (index, link) in plan.links.enumerated() {
            parts += row(of: link.name, at: rowsTop + Double(index) * Self.rowHeight, canvas)
        }
        parts += processLegend(canvas, y: processTop - 10)
        for (index, process) in plan.processes.enumerated() {
            let y = processTop + Double(index) * Self.rowHeight
            parts += row(of: process, at: y, canvas)
        }
        parts.append(canvas.title("Presentations, cumulative", y: chartTop - 12))
        parts += canvas.chart(curves, top: chartTop, height: Self.chartHeight)
        parts.append("</svg>\n")
        return parts.joined(separator: "\n")
    }

    private func heading(_ canvas: SVGCanvas) -> [String] {
        let counts = result.counts
        let kills = "\(result.killCount) kill\(result.killCount == 1 ? "" : "s")"
        let verdict = result.violations.isEmpty ? "all invariants hold" : "INVARIANTS VIOLATED"
        return [
            canvas.text(
                "bus-node chaos, seed \(result.settings.seed): \(verdict)", x: 20, y: 24, size: 16,
                color: result.violations.isEmpty ? Self.green : Self.red, isBold: true),
            canvas.text(
                "presented \(counts.presented), completed \(counts.completed), answered "
                    + "\(counts.answered), origin died \(counts.originDied), lost \(counts.lost), "
                    + "\(kills), \(result.schedule.faultCount)",
                x: 20, y: 42, size: 12),
        ]
    }

    /// The color of each fault in the run.
    private func linkLegend(_ canvas: SVGCanvas, y: Double) -> [String] {
        let kinds = ChaosFault.onLinks.filter { kind in
            result.schedule.faults.contains { $0.fault == kind }
        }
        return [canvas.title("Links", y: y)]
            + legend(
                canvas, y: y,
                [("up", { canvas.box(x: $0, y: y - 6, width: 10, height: 4, color: Self.up) })]
                    + kinds.map { kind in
                        (
                            kind.rawValue,
                            {
                                canvas.box(
                                    x: $0, y: y - 9, width: 10, height: 10,
                                    color: kind.color)
                            }
                        )
                    })
    }

    private func processLegend(_ canvas: SVGCanvas, y: Double) -> [String] {
        func box(_ color: String) -> (Double) -> String {
            { canvas.box(x: $0, y: y - 8, width: 10, height: 8, color: color) }
        }
        return [canvas.title("Processes", y: y)]
            + legend(
                canvas, y: y,
                [
                    ("runs", box(Self.runs)), ("stopped (SIGSTOP)", box(Self.standsStill)),
                    ("dies", { canvas.cross(at: $0 + 5, y: y - 4, color: Self.red) }),
                    (
                        "restarts",
                        { canvas.dot(at: $0 + 5, y: y - 4, radius: 3.5, color: Self.green) }
                    ),
                ])
    }

    private func legend(
        _ canvas: SVGCanvas, y: Double, _ entries: [(name: String, symbol: (Double) -> String)]
    ) -> [String] {
        var x = left
        return entries.flatMap { name, symbol in
            defer { x += 32 + Double(name.count) * Self.letterWidth }
            return [symbol(x), canvas.text(name, x: x + 14, y: y, size: 11)]
        }
    }

    /// The start of the time axis, to the right of the longest name.
    private var left: Double {
        let names = plan.links.map(\.name) + plan.processes.map { Self.label(of: $0) }
        return 40 + max(130, Double(names.map(\.count).max() ?? 0) * Self.letterWidth)
    }

    private static func label(of process: ChaosPlan.Process) -> String {
        "\(process.name) (\(process.role))"
    }

    private func healed(_ canvas: SVGCanvas, from top: Double, to bottom: Double) -> [String] {
        let x = canvas.x(result.settings.duration.seconds)
        return [
            canvas.line(x, top, x, bottom, color: Self.green, dash: "5 4"),
            canvas.text("healed", x: x, y: top - 3, size: 10, color: Self.green, anchor: "middle"),
        ]
    }

    private static let red = "#cf222e"
    private static let green = "#1a7f37"
    private static let up = "#aceebb"
    private static let runs = "#54aeff"
    private static let standsStill = "#8c959f"

    private func row(of link: String, at y: Double, _ canvas: SVGCanvas) -> [String] {
        var parts = [
            canvas.text(link, x: 20, y: y + 12, size: 11),
            canvas.bar(from: 0, to: span, y: y + 5, height: 6, color: Self.up),
        ]
        for fault in result.schedule.faults where fault.target == link {
            parts.append(
                canvas.bar(
                    from: fault.start.seconds, to: fault.end.seconds, y: y + 2, height: 12,
                    color: fault.fault.color, tip: fault.fault.rawValue))
        }
        return parts
    }

    /// The bars of a process: running, stopped, dead.
    private func row(
        of process: ChaosPlan.Process, at y: Double, _ canvas: SVGCanvas
    ) -> [String] {
        var parts = [
            canvas.text(Self.label(of: process), x: 20, y: y + 12, size: 11)
        ]
        let marks = marks[process.name] ?? []
        // Drawn last, so that no bar covers them.
        var symbols: [String] = []
        var since = 0.0
        var color: String?
        func draw(to time: Double) {
            guard let color else { return }
            parts.append(
                canvas.bar(from: max(0, since), to: time, y: y + 4, height: 8, color: color))
        }
        for mark in marks {
            let time = (mark.time - start).seconds
            draw(to: time)
            since = time
            switch mark.kind {
            case .started, .continued:
                color = Self.runs
                if mark.kind == .started, time > 0 {
                    symbols.append(
                        canvas.dot(at: canvas.x(time), y: y + 8, radius: 3.5, color: Self.green))
                }
            case .stopped: color = Self.standsStill
            case .killed, .crashed:
                color = nil
                symbols.append(canvas.cross(at: canvas.x(time), y: y + 8, color: Self.red))
            case .ended, .failedToEnd: color = nil
            }
        }
        draw(to: span)
        return parts + symbols
    }

    /// Presented, shown, answered, completed.
    private var curves: [SVGCanvas.Curve] {
        let dayStart = (wallStart / 86_400).rounded(.down) * 86_400
        func times(_ kind: LedgerEvent.Kind) -> [Double] {
            events.filter { $0.kind == kind && !$0.isRestored }.map { event in
                let time = dayStart + event.time - wallStart
                // The run passed midnight.
                return time < -43_200 ? time + 86_400 : time
            }.sorted()
        }
        return [
            .init(name: "presented", color: "#0969da", times: times(.report)),
            .init(name: "prompts", color: "#e3b341", times: times(.prompt)),
            .init(name: "answers", color: "#8250df", times: times(.decide)),
            .init(name: "completed", color: "#1a7f37", times: times(.complete)),
        ]
    }
}

/// Draws shapes over an axis of seconds, as SVG text.
struct SVGCanvas {
    /// A curve that rises by one at each time.
    struct Curve {
        let name: String
        let color: String
        /// In ascending order.
        let times: [Double]
    }

    let left: Double
    let right: Double
    /// The seconds from left to right.
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

    /// Vertical lines at equal intervals, about fifteen of them.
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
            // At most a thousand points: more cannot be seen.
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
