import ErrorBus
import ErrorBusTesting
import Foundation
import Testing

@testable import BusLab

struct ChaosTimelineTests {
    private static let duration: Duration = .seconds(60)

    private func timeline(_ faults: [ChaosFault] = ChaosFault.standard) throws -> ChaosTimeline {
        let plan = try FaultScheduleTests.plan()
        let settings = ChaosSettings(
            topology: "t.yaml", seed: 1, duration: Self.duration, presentations: 1, faults: faults,
            settleLimit: .seconds(1), logLevel: "error")
        let schedule = FaultSchedule(
            seed: 1, duration: Self.duration, plan: plan, faults: faults)
        let start = ManualTime().now.instant
        let result = ChaosResult(
            settings: settings, schedule: schedule, counts: LedgerCounts(),
            everyEndIsAnAnswer: true, crashes: [], settling: .seconds(1), killCount: 1)
        let marks: [ChaosProcess.Mark] = [
            .init(kind: .started, pid: 1, time: start - .seconds(1)),
            .init(kind: .killed, pid: 1, time: start + .seconds(10)),
            .init(kind: .started, pid: 2, time: start + .seconds(11)),
        ]
        return ChaosTimeline(
            result: result, plan: plan, marks: ["relay": marks], start: start,
            events: MadeUpLog.whole, wallStart: 0)
    }

    /// The places of all texts of one line, from left to right.
    private func texts(_ svg: String, above text: String) -> [(x: Double, text: String)] {
        let all = svg.matches(of: /<text x="([0-9.]+)" y="([0-9.]+)"[^>]*>([^<]*)</)
        let line = all.first { $0.output.3 == text }?.output.2
        return all.filter { $0.output.2 == line }.map {
            (Double($0.output.1) ?? 0, String($0.output.3))
        }.sorted { $0.x < $1.x }
    }

    @Test("The legend names every fault of the run, side by side inside the picture")
    func legend() throws {
        let svg = try timeline().svg
        let links = texts(svg, above: "Links")
        #expect(
            links.map(\.text) == ["Links", "up"]
                + ChaosFault.onLinks.filter { $0 != .corrupt }
                .map(\.rawValue))
        let processes = texts(svg, above: "Processes")
        #expect(processes.count == 5)
        for line in [links, processes] {
            for (left, right) in zip(line, line.dropFirst()) {
                #expect(left.x + 6 * Double(left.text.count) < right.x, "\(left) \(right)")
            }
            #expect((line.last?.x ?? 0) < 1_100)
        }
        #expect(texts(try timeline([.kill]).svg, above: "Links").map(\.text) == ["Links", "up"])
    }

    @Test("No two faults of a link have one color")
    func colors() {
        #expect(Set(ChaosFault.onLinks.map(\.color)).count == ChaosFault.onLinks.count)
    }

    @Test("Names of links and processes end before the bars begin")
    func names() throws {
        let svg = try timeline().svg
        let bars = svg.matches(of: /<rect x="([0-9.]+)" [^>]*height="6"/).compactMap {
            Double($0.output.1)
        }
        let begin = try #require(bars.min())
        for name in ["relay-to-centre", "centre (presenter)"] {
            let label = try #require(texts(svg, above: name).first)
            #expect(label.x + 6.4 * Double(label.text.count) < begin)
        }
    }

    @Test("A death and the next start are drawn over the bars of their process")
    func deaths() throws {
        let svg = try timeline([]).svg
        let row = try #require(svg.range(of: "relay (relay)")).upperBound
        let rest = svg[row...]
        let bar = try #require(rest.range(of: "height=\"8\"", options: .backwards)).lowerBound
        #expect(try #require(rest.range(of: "<path d=\"M")).lowerBound > bar)
        #expect(rest.contains("<circle"))
    }
}
