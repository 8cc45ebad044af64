import ErrorBus

// What the owner of an option makes of an answer: sections 19 and 20 of docs/wire.md.
extension Script {
    private struct Own: Error {}

    /// An error of the node itself, whose option two people choose, gets this answer.
    ///
    /// - Parameter comment: What the owner reads as the comment, where it attempts the option.
    private static func chosen(
        _ talk: Talk, _ fields: [String], payload: String = "", isAttempted: Bool,
        comment: String? = nil, line: Int = #line
    ) async throws {
        let (id, before) = (talk.newID(), talk.attempts.count)
        let error = Own().recoverable {
            RecoveryOption("Wipe", id: "wipe", needsTwoPeople: true) {
                talk.attempts.append("wipe")
                return true
            }
            RecoveryOption("Retry", id: "retry") {
                talk.attempts.append("retry")
                return true
            }
        }
        let call = talk.asks(id, of: error)
        let said = try await talk.up.hears("PRESENT", "id: \(id)", line: line)
        talk.up.say("ACCEPTED", "id: \(id)", "attempt: \(said["attempt"] ?? "")")
        talk.up.say("ANSWER", ["id: \(id)", "answer: \(talk.newID())"] + fields, payload: payload)
        try await talk.up.hears(
            "SETTLED", "id: \(id)", "result: \(isAttempted ? "recovered" : "invalid")", line: line)
        try talk.check(
            talk.attempts.count == before + (isAttempted ? 1 : 0), "\(talk.attempts)", line: line)
        if isAttempted {
            let outcome = try await call.ends(.answered, didRecover: true, line: line)
            try talk.check(
                outcome.answer?.comment == comment, "\(outcome.answer?.comment ?? "")",
                line: line)
        } else {
            call.cancel()
            _ = await call.outcomes.next(within: 100)
            try await talk.pause(50)
            talk.up.heard.clear()
        }
    }

    static let inboxOwners: [Script] = [
        Script("An owner attempts an option of two people only for two people") { talk in
            try await talk.up.isLinked()
            let both = ["option: wipe", "by: ann", "via: person", "second: bob"]
            try await chosen(talk, both, isAttempted: true)
            let others = [
                ["option: wipe", "by: ann", "via: person"],
                ["option: wipe", "by: ann", "via: person", "second: ann"],
                ["option: wipe", "by: ann", "via: policy", "second: bob"],
                ["option: wipe", "by: ann", "via: handler", "second: bob"],
                ["option: mend", "by: ann", "via: person"],
            ]
            for fields in others { try await chosen(talk, fields, isAttempted: false) }
            try await chosen(
                talk, ["option: retry", "by: rule", "via: policy"], isAttempted: true)
        },
        Script("An owner reads a comment as a text, and never refuses an answer for it") { talk in
            try await talk.up.isLinked()
            let fields = ["option: retry", "by: ann", "via: person"]
            func comment(_ json: String, is text: String?, line: Int = #line) async throws {
                try await chosen(
                    talk, fields, payload: "{\"comment\":\(json)}", isAttempted: true,
                    comment: text, line: line)
            }
            try await comment(#""Disk.\nSee OPS-7.""#, is: "Disk.\nSee OPS-7.")
            try await comment(#""a\tb\r""#, is: "a b ")
            try await comment(#"" \n""#, is: nil)
            try await comment("7", is: nil)
            try await comment("null", is: nil)
            let long = String(repeating: "x", count: 2_049)
            try await comment("\"\(long)\"", is: String(long.dropLast()))
        },
    ]
}
