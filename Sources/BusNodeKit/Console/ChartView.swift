import ErrorBus
import Foundation
import Hummingbird

/// The time that a chart covers.
enum ChartSpan: String, CaseIterable, Sendable {
    case hour = "1h"
    case day = "24h"
    case week = "7d"
    case month = "30d"

    /// The seconds of one bucket.
    var step: Int {
        switch self {
        case .hour: 60
        case .day: 1_800
        case .week: 10_800
        case .month: 43_200
        }
    }

    var bucketCount: Int {
        switch self {
        case .hour: AuditHistory.bucketCount
        case .day: 48
        case .week: 56
        case .month: 60
        }
    }

    /// The beginnings of the buckets, oldest first, in seconds since 1970: multiples of the step.
    func begins(at now: Date) -> [Int] {
        let last = Int((now.timeIntervalSince1970 / Double(step)).rounded(.down))
        return ((last - bucketCount + 1)...last).map { $0 * step }
    }
}

/// The events of a time, in parts of equal length, and the times that people took to answer.
struct ChartView: JSONObject, Sendable {
    var span = ChartSpan.hour.rawValue
    /// The buckets, oldest first.
    var buckets: [BucketView] = []
    var stepMilliseconds = 0
    /// Whether the chart counts as many events as it may: earlier events are left out.
    var isCut = false
    /// The times to answer; nil if the node keeps no history.
    var waits: WaitsView?

    init() {}

    init(_ span: ChartSpan, _ buckets: [BucketView]) {
        self.span = span.rawValue
        self.buckets = buckets
        stepMilliseconds = span.step * 1_000
    }

    static let members: [JSONMember<ChartView>] = [
        .init("span", \.span), .init("stepMilliseconds", \.stepMilliseconds),
        .init("buckets", \.buckets), .init("isCut", \.isCut), .init("waits", \.waits),
    ]
}

/// One bucket of a chart.
struct BucketView: JSONObject, Sendable {
    var at = ""
    var bucket = AuditHistory.Bucket()

    init() {}

    init(_ at: Date, _ bucket: AuditHistory.Bucket = AuditHistory.Bucket()) {
        self.at = TimeText.text(at)
        self.bucket = bucket
    }

    static let members: [JSONMember<BucketView>] = [
        .init("at", \.at), .init("presented", \.bucket.presented),
        .init("answered", \.bucket.answered), .init("recovered", \.bucket.recovered),
        .init("failed", \.bucket.failed), .init("cancelled", \.bucket.cancelled),
        .init("unknown", \.bucket.unknown),
    ]
}

/// The times that people took to answer the presentations of a time.
struct WaitsView: JSONObject, Sendable {
    /// The most presentations that are compared: the latest count.
    var countMax = 0
    /// The times of all presentations; nil if people answered none.
    var all: WaitView?
    /// The times for each severity, the most frequent first.
    var bySeverity: [WaitView] = []
    var byDomain: [WaitView] = []

    init() {}

    static let members: [JSONMember<WaitsView>] = [
        .init("countMax", \.countMax), .init("all", \.all), .init("bySeverity", \.bySeverity),
        .init("byDomain", \.byDomain),
    ]
}

/// The times to answer of presentations that have a severity or a domain in common.
struct WaitView: JSONObject, Sendable {
    /// The severity or the domain; empty for all.
    var what = ""
    /// The number of presentations that people answered.
    var count = 0
    /// The time within which people answered half of them.
    var medianMilliseconds = 0
    /// The time within which people answered nine of ten.
    var percentile90Milliseconds = 0

    init() {}

    static let members: [JSONMember<WaitView>] = [
        .init("what", \.what), .init("count", \.count),
        .init("medianMilliseconds", \.medianMilliseconds),
        .init("percentile90Milliseconds", \.percentile90Milliseconds),
    ]
}

// The chart: the last hour from memory, a longer time from the journal.
extension ConsoleAPI {
    func chart(
        _ span: ChartSpan, at now: Date = .now
    ) async throws -> ChartView {
        guard span != .hour else {
            var view = ChartView(
                span, console.history.chart(at: now).map { BucketView($0.at, $0.bucket) })
            // The last hour is shown without a journal too, and while that cannot be read.
            if let kept = console.kept {
                view.waits = try? await searched {
                    try await kept.archive.waits(span, console: kept.console, at: now)
                }
            }
            return view
        }
        guard let kept = console.kept else {
            throw APIProblem(
                .notFound, "notKept",
                "only the last hour (\(ChartSpan.hour.rawValue)): the node has no journal")
        }
        try await write(to: kept)
        return try await searched(advising: "choose a shorter span") {
            var view = try await kept.archive.chart(span, console: kept.console, at: now)
            view.waits = try await kept.archive.waits(span, console: kept.console, at: now)
            return view
        }
    }
}
