import ErrorBus

/// Worlds that run a part of the scripts.
extension Plan {
    /// The seeds modulo 512 in which there are conversations: an equal part of the scripts in each.
    static let conversations: [UInt64] = [16, 39, 55, 103, 119, 151, 167, 199]

    /// Runs the scripts whose number, modulo the count of ``conversations``, is this part.
    mutating func stageConversations(part: Int) {
        conversationPart = part
        chaosLasts = 1_000
        isPatient = true
    }
}

extension World {
    /// The conversations of this world, each from its beginning.
    func prepareConversations() {
        guard let part = plan.conversationPart else { return }
        for (number, script) in Script.all.enumerated()
        where number % Plan.conversations.count == part {
            guard let talk = try? Talk(script, number: number, in: self) else { continue }
            talks.append(talk)
            // They begin apart, so that not all of them work at one moment.
            scheduler.at(start + UInt64(number) * 7) { talk.begin() }
        }
        ledger.scriptCount = talks.count
    }
}

extension Checker {
    static let spoken = Checker(
        name: "spoken",
        rule: "the node of each script does what the script has, in its time, and nothing else"
    ) { ledger, _ in
        let leftCount = ledger.scriptCount - ledger.spokenCount - ledger.misspoken.count
        return ledger.misspoken + (leftCount > 0 ? ["\(leftCount) scripts did not end"] : [])
    }
}

extension Forgery {
    static let spoken = Forgery(checker: "spoken") { ledger, _ in
        ledger.spokenCount -= 1
        return ledger.scriptCount > 0
    }
}
