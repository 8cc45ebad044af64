import ErrorBus

/// What outlasts lives of processes, and what does not.
extension World {
    func prepareWide() {
        if plan.keepsSilences {
            for (number, time) in [2_000, 2_500, 3_000, 15_000, 16_000].enumerated() {
                scheduler.at(start + UInt64(time)) { [self] in addSilence(number) }
            }
        }
        guard let revocation = plan.revocation, let endpoint = endpoint(of: revocation.at) else {
            return
        }
        scheduler.at(start + revocation.time) { [self] in
            keyRing.replace(with: LinkKeys(own: Self.pair, known: [:]))
            network.replaced(keyRing, at: endpoint)
            for (id, replies) in ledger.bareReplies where replies.isEmpty {
                ledger.bareReplies[id] = nil
                ledger.revoked[id] = scheduler.now
            }
        }
    }

    private func addSilence(_ number: Int) {
        let code = "\(90 + number)"
        let request = Silence.Request(
            pattern: .object(["code": .string(code)]), match: RuleMatch(code: [.exact(code)]),
            by: "ann", comment: "known")
        let lasts = scheduler.random.number(100_000...900_000)
        let silence = try? lives[Plan.presenter]?.silences.add(request, for: .milliseconds(lasts))
        if let silence { ledger.silenceNumbers.append(silence.number) }
    }

    private static let pair =
        KeyPair(secret: "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6")
        ?? { preconditionFailure("no keys") }()

    /// The clients without a link have one, or a relay that is not known as one.
    var keys: LinkKeys {
        let name: NodeName = plan.isRelayUnknown ? "relay1" : "clients"
        return LinkKeys(own: Self.pair, known: [name: Self.pair.publicKey])
    }

    var keyHolder: KeyHolder? { keyRing.holder(of: Self.pair.publicKey) }

    /// What is put to people now is lost on disk.
    var isDamaging: Bool { plan.damage?.contains(scheduler.now - start) == true }

    /// A life is about to end: what its process has stored stays.
    func keep(_ life: Life) {
        if plan.keepsSilences, life.process.name == Plan.presenter {
            keptSilences = life.silences.all.sorted { $0.endsAt > $1.endsAt }
        }
        guard plan.keepsInbox else { return }
        for people in life.people {
            let items = people.inbox.items()
            let ids = Set(items.map(\.id))
            // What did not come again in this life is still stored.
            let before = kept[people.presenterName]?.records.filter {
                !ids.contains($0.presentation.id)
            }
            let records = (before ?? []) + items.map { InboxRecord($0) }
            kept[people.presenterName] = (records, people.kept, people.proposers)
        }
    }

    func restore(_ life: Life) {
        if life.process.name == Plan.presenter, !keptSilences.isEmpty {
            life.silences.restore(keptSilences)
        }
        for people in life.people {
            guard let (records, claims, proposers) = kept[people.presenterName] else { continue }
            people.inbox.restore(records)
            people.claims = claims
            people.proposers = proposers
        }
    }

    /// Is what people have in front of them open in their inbox, and is that no larger than stated?
    func lookAtInboxes() {
        let before = missing
        missing = []
        for people in lives.values.flatMap(\.people) {
            follow(people)
            for id in people.openIDs where people.isEnded(id) {
                let text = "\(id): in front of people, not open for \(people.presenterName)"
                missing.insert(text)
                if before.contains(text) { ledger.notInInbox.insert(text) }
            }
            guard plan.inboxEndedMax != nil, scheduler.now / 1_000 % 8 == 0 else { continue }
            let count = people.inbox.items().count(where: \.hasEnded)
            ledger.mostEnded = max(ledger.mostEnded, count)
        }
        for (id, time) in ledger.revoked where ledger.prompts[id, default: 0] > 0 {
            ledger.leftOpen[id] = scheduler.now - time
        }
    }
}

extension InboxRecord {
    /// As its store has it.
    fileprivate init(_ item: InboxItem) {
        var presentation = InboxPresentation(
            id: item.id, report: item.report, origin: item.origin)
        presentation.path = item.path
        presentation.retryCount = item.retryCount
        presentation.wasShownBefore = item.wasShownBefore
        self.init(
            presentation, openedAt: item.openedAt, changedAt: item.changedAt, stage: item.stage,
            holder: item.holder, failedAgain: item.failedAgain, takenBack: item.takenBack,
            proposal: item.proposal, notes: item.notes)
    }
}

extension People {
    /// It has ended there, or is not there.
    func isEnded(_ id: PresentationID) -> Bool {
        (try? inbox.item(id))?.hasEnded ?? true
    }

    /// What has been claimed; who gave an answer that is held has a minute more for another.
    var kept: [PresentationID: Claim] {
        var kept = claims
        for item in inbox.items() {
            // A claim ends with it.
            if case .closed = item.stage { kept[item.id] = nil }
            guard case .leaving = item.stage,
                let given = world.ledger.given.last(where: {
                    $0.id == item.id && $0.presenter == presenterName && !$0.isUndone
                })
            else { continue }
            kept[item.id] = Claim(
                person: given.by, account: given.account,
                until: given.time + given.undo + 60_000)
        }
        return kept
    }
}
