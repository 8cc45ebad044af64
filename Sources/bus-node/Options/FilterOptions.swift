import ArgumentParser
import BusNodeKit
import ErrorBus
import Foundation

/// The conditions of a search, which all have to hold.
struct FilterOptions: ParsableArguments {
    private static let endings = HistoryFilter.ends.joined(separator: ", ")

    @Option(name: .customLong("text"), help: "Only with this text, in any case.")
    var q: String?

    @Option(help: "Only with an answer, claim, proposal or note by this person.")
    var by: String?

    @Option(help: "Only from this node.")
    var origin: String?

    @Option(help: "Only of this domain.")
    var domain: String?

    @Option(help: "Only answered with this option.")
    var option: String?

    @Option(help: "Only of this severity, or at least of it, as '>=error'.")
    var severity: String?

    @Option(
        help: """
            Only with this end in words: \(FilterOptions.endings); \
            without an end: open, claimed or left. '\(Outcome.Reason.expired.words)*' also finds \
            ends that name the option applied.
            """)
    var end: String?

    @Option(help: "Only presented from this time on.")
    var since: String?

    @Option(help: "Only presented before this time; of a day, up to its end.")
    var until: String?

    /// The given conditions, by their names in a query.
    var given: [String: String] {
        let all = [
            "q": q, "by": by, "origin": origin, "domain": domain, "option": option,
            "severity": severity, "end": end, "since": Self.time(since),
            "until": Self.time(until, isEnd: true),
        ]
        return all.compactMapValues { $0 }
    }

    /// - Throws: When a condition cannot be read.
    var filter: HistoryFilter {
        get throws(Failure) {
            do throws(InvalidFilter) {
                return try HistoryFilter(given)
            } catch {
                throw Failure(.usage, error.forOption)
            }
        }
    }

    /// A time in the written form; another text unchanged, such as the next of a page.
    private static func time(_ text: String?, isEnd: Bool = false) -> String? {
        text.map { PastTime.read($0, isEnd: isEnd) ?? $0 }
    }
}
