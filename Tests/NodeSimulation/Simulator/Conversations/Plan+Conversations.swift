import ErrorBus

/// Worlds for what one node says to peers that a script speaks for.
extension Plan {
    /// The seeds modulo 512 in which there are conversations: an equal part of the scripts in each.
    static let conversations: [UInt64] = [16, 39, 55, 103, 119, 151, 167, 199]

    /// Every script takes part in the seed whose part of the scripts it belongs to.
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
            // Not all in one moment, which is for a few.
            scheduler.at(start + UInt64(number) * 7) { talk.begin() }
        }
        ledger.scriptCount = talks.count
    }
}

extension Checker {
    static let spoken = Checker(
        name: "spoken",
        rule: "a node says to its peers what docs/wire.md has, when it has to, and nothing else"
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
