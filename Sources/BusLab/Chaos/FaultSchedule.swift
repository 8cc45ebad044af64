package import BusNodeKit
import ErrorBus

/// All faults of a run, decided before it begins: the same seed, topology, duration and sorts of
/// faults give the same schedule.
package struct FaultSchedule: Hashable, Sendable {
    /// After this time a link is given up and a process taken for dead; long runs include some such
    /// faults.
    private static let beyondSilence: ClosedRange<Duration> = .seconds(13)...(.seconds(16))
    private static let longRun: Duration = .seconds(60)

    /// In the order of their starts.
    let faults: [ScheduledFault]
    let duration: Duration

    package init(seed: UInt64, duration: Duration, plan: ChaosPlan, faults kinds: [ChaosFault]) {
        self.duration = duration
        var faults: [ScheduledFault] = []
        let onLinks = ChaosFault.onLinks.filter(kinds.contains)
        if !onLinks.isEmpty {
            for link in plan.links {
                faults += Self.faults(
                    of: onLinks, on: link.name, gap: .milliseconds(400)...(.seconds(4)), seed,
                    duration)
            }
        }
        let killable = plan.killable(kinds).names
        for process in plan.processes {
            var own: [ChaosFault] = killable.contains(process.name) ? [.kill] : []
            if kinds.contains(.stop) { own.append(.stop) }
            if own.isEmpty { continue }
            faults += Self.faults(
                of: own, on: process.name.description, gap: .seconds(1)...(.seconds(9)), seed,
                duration)
        }
        self.faults = faults.sorted { ($0.start, $0.target) < ($1.start, $1.target) }
    }

    /// The number of faults, in words.
    var faultCount: String { Self.words(of: faults.count) }

    static func words(of count: Int) -> String { count == 1 ? "1 fault" : "\(count) faults" }

    /// The number of faults of each sort.
    var counts: [(fault: ChaosFault, count: Int)] {
        ChaosFault.allCases.compactMap { fault in
            let count = faults.count { $0.fault == fault }
            return count == 0 ? nil : (fault, count)
        }
    }

    /// The faults of one target in sequence, with quiet times between.
    private static func faults(
        of kinds: [ChaosFault], on target: String, gap: ClosedRange<Duration>, _ seed: UInt64,
        _ duration: Duration
    ) -> [ScheduledFault] {
        var random = SeededGenerator(seed: seed, part: target)
        var found: [ScheduledFault] = []
        var time = random.duration(in: .zero...gap.upperBound)
        while time < duration {
            let kind = kinds[Int.random(in: kinds.indices, using: &random)]
            let length = length(of: kind, in: duration, &random)
            found.append(
                ScheduledFault(
                    fault: kind, target: target, start: time, end: min(duration, time + length),
                    action: action(kind, &random)))
            time += length + random.duration(in: gap)
        }
        return found
    }

    private static func length(
        of kind: ChaosFault, in duration: Duration, _ random: inout SeededGenerator
    ) -> Duration {
        let isLong = random.happens(0.1)
        switch kind {
        case .blackhole where isLong && duration >= longRun,
            .stop where isLong && duration >= longRun:
            return random.duration(in: beyondSilence)
        case .reset: return random.duration(in: .milliseconds(10)...(.milliseconds(200)))
        case .kill, .killPresenter:
            return random.duration(in: .milliseconds(50)...(.seconds(2)))
        default: return random.duration(in: .milliseconds(100)...(.seconds(3)))
        }
    }

    private static func action(
        _ kind: ChaosFault, _ random: inout SeededGenerator
    ) -> ScheduledFault.Action {
        let one = random.happens(0.5) ? ToxicStream.upstream : .downstream
        let isBoth = random.happens(0.5)
        let streams = isBoth ? ToxicStream.allCases : [one]
        func toxics(_ effect: ToxicEffect, on streams: [ToxicStream] = streams) -> [Toxic] {
            streams.map { Toxic(effect, on: $0) }
        }
        switch kind {
        case .drop: return .down
        case .kill, .killPresenter: return .kill
        case .stop: return .stop
        case .delay:
            let latency = random.duration(in: .milliseconds(5)...(.milliseconds(500)))
            return .toxics(toxics(.latency(latency, jitter: latency / 2)))
        case .reset:
            return .toxics(toxics(.resetPeer(.zero), on: [one]))
        case .blackhole: return .toxics(toxics(.blackhole))
        case .slice:
            let size = Int.random(in: 1...20, using: &random)
            let pause = random.duration(in: .zero...(.microseconds(300)))
            return .toxics(
                toxics(.slicer(averageSize: size, variation: size / 2, delay: pause)))
        case .cut:
            let bytes = Int.random(in: 1...4_000, using: &random)
            return .toxics(toxics(.limitData(bytes: bytes), on: [one]))
        case .duplicate:
            return .toxics(toxics(.duplicate(probability: 0.3 + 0.7 * random.fraction())))
        case .corrupt:
            return .toxics(toxics(.corrupt(probability: 0.001, offset: nil)))
        }
    }
}

/// One fault of a schedule: its sort, its target, and its start and end after the start of the run.
struct ScheduledFault: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case down
        case toxics([Toxic])
        /// Killed at the start, restarted at the end.
        case kill
        /// Stopped at the start, continued at the end.
        case stop
    }

    let fault: ChaosFault
    /// The name of a link or of a node.
    let target: String
    let start: Duration
    let end: Duration
    let action: Action
}

/// The sorts of faults that a chaos run causes, by their names on the command line.
package enum ChaosFault: String, CaseIterable, Hashable, Sendable {
    /// A link goes down: connections are closed, new ones refused.
    case drop
    /// A link delays its data.
    case delay
    /// A link's connections are reset.
    case reset
    /// A link swallows data, in one direction or both.
    case blackhole
    /// A link delivers data in pieces of a few bytes.
    case slice
    /// A link is cut in the middle of a message.
    case cut
    /// A link delivers messages twice.
    case duplicate
    /// A link changes bytes. Only on request: without keys a changed letter in a report cannot be
    /// detected.
    case corrupt
    /// A process is killed and restarted.
    case kill
    /// A process is stopped for a while.
    case stop
    /// A presenter without a journal is killed as well. Only on request: its decisions are lost.
    case killPresenter = "kill-presenter"

    /// The faults of `all`, which is the default.
    package static let standard = allCases.filter { $0 != .corrupt && $0 != .killPresenter }
    static let onLinks: [ChaosFault] = [
        .drop, .delay, .reset, .blackhole, .slice, .cut, .duplicate, .corrupt,
    ]
    /// Its color in the picture.
    var color: String {
        switch self {
        case .drop, .kill, .killPresenter: "#cf222e"
        case .delay: "#e3b341"
        case .reset: "#fb8f44"
        case .blackhole: "#24292f"
        case .slice: "#8250df"
        case .cut: "#bf3989"
        case .duplicate: "#0969da"
        case .corrupt: "#6e4b1f"
        case .stop: "#8c959f"
        }
    }

    private static let all = "all"
    package static var allowed: String {
        ([all] + allCases.map(\.rawValue)).joined(separator: ", ")
    }

    /// Reads a list such as `drop,kill` or `all,corrupt`.
    package static func read(_ text: String) throws(Failure) -> [ChaosFault] {
        var faults: [ChaosFault] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            let named = ChaosFault(rawValue: String(name)).map { [$0] }
            guard let kinds = name == all ? standard : named else {
                throw Failure(.usage, "--faults: found \"\(name)\", allowed: \(allowed)")
            }
            faults += kinds.filter { !faults.contains($0) }
        }
        return faults
    }
}
