import ErrorBus

/// A run as a picture: what was done to links and processes, and how far the presentations got,
/// over one axis of time.
struct ChaosTimeline {
    private static let left = 170.0
    private static let width = 1_240.0
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

    var svg: String {
        let curves = curves
        let canvas = SVGCanvas(left: Self.left, right: Self.width - 20, span: span)
        let rowsTop = Self.top
        let linkRows = plan.links.count
        let processTop = rowsTop + Double(linkRows) * Self.rowHeight + 34
        let chartTop = processTop + Double(plan.processes.count) * Self.rowHeight + 40
        let height = chartTop + Self.chartHeight + 60
        var parts = [canvas.header(width: Self.width, height: height)]
        parts += heading(canvas)
        parts += canvas.grid(from: rowsTop - 6, to: chartTop + Self.chartHeight)
        parts += healed(canvas, from: rowsTop - 6, to: chartTop + Self.chartHeight)
        parts.append(canvas.title("Links", y: rowsTop - 10))
        for (index, link) in plan.links.enumerated() {
            parts += row(of: link.name, at: rowsTop + Double(index) * Self.rowHeight, canvas)
        }
        parts.append(canvas.title("Processes", y: processTop - 10))
        for (index, process) in plan.processes.enumerated() {
            let y = processTop + Double(index) * Self.rowHeight
            parts += row(of: process, at: y, canvas)
        }
        parts.append(canvas.title("Presentations, added up", y: chartTop - 12))
        parts += canvas.chart(curves, top: chartTop, height: Self.chartHeight)
        parts.append("</svg>\n")
        return parts.joined(separator: "\n")
    }

    private func heading(_ canvas: SVGCanvas) -> [String] {
        let counts = result.counts
        let verdict = result.violations.isEmpty ? "all invariants hold" : "INVARIANTS VIOLATED"
        var parts = [
            canvas.text(
                "bus-node chaos, seed \(result.settings.seed): \(verdict)", x: 20, y: 24, size: 16,
                color: result.violations.isEmpty ? "#1a7f37" : "#cf222e", isBold: true),
            canvas.text(
                "presented \(counts.presented), completed \(counts.completed), answered "
                    + "\(counts.answered), origin died \(counts.originDied), lost \(counts.lost), "
                    + "\(result.killCount) kills, \(result.schedule.faults.count) faults",
                x: 20, y: 42, size: 12),
        ]
        var x = 700.0
        for fault in ChaosFault.allCases
        where result.schedule.faults.contains(where: { $0.fault == fault }) {
            guard let color = Self.colors[fault] else { continue }
            parts.append(canvas.box(x: x, y: 16, width: 10, height: 10, color: color))
            parts.append(canvas.text(fault.rawValue, x: x + 14, y: 25, size: 11))
            x += 30 + Double(fault.rawValue.count) * 6.5
        }
        return parts
    }

    private func healed(_ canvas: SVGCanvas, from top: Double, to bottom: Double) -> [String] {
        let x = canvas.x(result.settings.duration.seconds)
        return [
            canvas.line(x, top, x, bottom, color: "#1a7f37", dash: "5 4"),
            canvas.text("healed", x: x + 4, y: top + 4, size: 10, color: "#1a7f37"),
        ]
    }

    private static let colors: [ChaosFault: String] = [
        .drop: "#cf222e", .delay: "#e3b341", .reset: "#fb8f44", .blackhole: "#24292f",
        .slice: "#8250df", .cut: "#bf3989", .duplicate: "#0969da", .corrupt: "#6e4b1f",
        .kill: "#cf222e", .stop: "#8c959f", .killPresenter: "#cf222e",
    ]

    private func row(of link: String, at y: Double, _ canvas: SVGCanvas) -> [String] {
        var parts = [
            canvas.text(link, x: 20, y: y + 12, size: 11),
            canvas.bar(from: 0, to: span, y: y + 5, height: 6, color: "#aceebb"),
        ]
        for fault in result.schedule.faults where fault.target == link {
            parts.append(
                canvas.bar(
                    from: fault.start.seconds, to: fault.end.seconds, y: y + 2, height: 12,
                    color: Self.colors[fault.fault] ?? "#000", tip: fault.fault.rawValue))
        }
        return parts
    }

    /// Alive, standing still, dead.
    private func row(
        of process: ChaosPlan.Process, at y: Double, _ canvas: SVGCanvas
    ) -> [String] {
        var parts = [
            canvas.text("\(process.name) (\(process.role))", x: 20, y: y + 12, size: 11)
        ]
        let marks = marks[process.name] ?? []
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
                color = "#54aeff"
                if mark.kind == .started, time > 0 {
                    parts.append(canvas.dot(time, y: y + 8, radius: 3.5, color: "#1a7f37"))
                }
            case .stopped: color = "#8c959f"
            case .killed, .crashed:
                color = nil
                parts.append(canvas.cross(time, y: y + 8, color: "#cf222e"))
            case .ended: color = nil
            }
        }
        draw(to: span)
        return parts
    }

    /// Presented, shown, answered, completed.
    private var curves: [SVGCanvas.Curve] {
        let dayStart = (wallStart / 86_400).rounded(.down) * 86_400
        func times(_ kind: LedgerEvent.Kind) -> [Double] {
            events.filter { $0.kind == kind }.map { event in
                let time = dayStart + event.time - wallStart
                // The run went past midnight.
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
