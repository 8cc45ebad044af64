package import ErrorBus
package import Foundation

/// The notices about acts at a shell for people, beside the short text for scripts. Escaped.
package enum InboxNotices {
    /// The notice that an answer is not sent yet, with the way to take it back; nil if it is not
    /// held.
    package static func held(_ item: PresentationView?, at now: Date) -> String? {
        guard let item, item.stage == "leaving", let until = item.leavesAt else { return nil }
        let id = PartialID.short(item.id).shown()
        return "\(item.answer?.option.shown() ?? "the answer") is held until \(time(until, now)), "
            + "then sent; bus-node inbox undo \(id) takes it back"
    }

    /// The state of a presentation whose held answer was undone.
    package static func undone(_ item: PresentationView?, at now: Date) -> String {
        let taken = "the answer was taken back, and was not sent"
        guard let item, item.stage == "claimed", let person = item.claimedBy else { return taken }
        let until = item.claimedUntil.map { " until \(time($0, now))" } ?? ""
        return "\(taken); \(person.shown()) has the claim\(until)"
    }

    /// The conditions of a new silence, and its end.
    package static func silenced(_ silence: SilenceView, at now: Date) -> String {
        "silenced until \(time(silence.endsAt, now)): \(SilenceRows.match(silence).shown())"
    }

    /// The number of open presentations that a silence matches, and how it ends them, from the
    /// console's reply; a console of an earlier version does not say how. Answers that are not on
    /// disk yet have ended none.
    package static func silenced(open count: Int64, _ reply: JSONValue) -> String {
        let open = "\(count) open \(count == 1 ? "presentation" : "presentations")"
        let late = unrecorded(reply["unrecorded"]?.integerValue ?? 0)
        guard count > 0, let answered = reply["answered"]?.integerValue,
            let withheld = reply["withheld"]?.integerValue
        else { return open + late }
        let left = count - answered - withheld
        return "\(open), \(answered) answered, \(withheld) withheld"
            + (left > 0 ? ", \(left) left to people" : "") + late
    }

    /// The open presentations that a silence would end, which it leaves open unless it is asked to
    /// end them.
    package static func previewed(
        open count: Int64, _ reply: JSONValue, alsoOpen: Bool
    ) -> String {
        let condition = alsoOpen ? "it would" : "with --also-open it would"
        return "\(condition) end \(silenced(open: count, reply))"
    }

    private static func unrecorded(_ count: Int64) -> String {
        guard count > 0 else { return "" }
        let answers = count == 1 ? "answer is" : "answers are"
        return "; \(count) \(answers) not on disk yet, and not sent until then"
    }

    private static func time(_ text: String, _ now: Date) -> String {
        TimeText.text(text, now: now, hasFraction: false).shown() + " UTC"
    }
}
