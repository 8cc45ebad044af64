import ErrorBusTesting
import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("The presentations of children", .timeLimit(.minutes(10)))
struct ChildPresentationsTests {
    private let transport = StillTransport()

    private func presentations(
        _ chain: any Responder, journal: (any DecisionJournal)? = nil
    ) -> ChildPresentations {
        var parts = NodeParts(logger: .silent)
        parts.journal = journal
        return ChildPresentations(
            name: "central", chain: chain, readsReports: false, parts: parts)
    }

    @Test("What is presented twice more while its option is carried out is attempted once")
    func thirdCall() async throws {
        let (attempts, gate) = (Recorder<Void>(), Gate())
        let presentations = presentations(
            ClosureResponder(
                "head", next: nil,
                present: { _, context in
                    _ = context.received?.beginsAttempt()
                    attempts.record(())
                    if attempts.elements.count == 1 { await gate.wait() }
                    let answer = Answer(option: "retry", by: "ann", via: .person)
                    return Outcome(
                        answer: answer, result: .remote(.recovered), decidedBy: "central")
                }))
        let driver = NodeDriver.still(on: transport)
        let present = Message.Present(
            id: .make(), origin: "worker", path: ["worker"], payload: Message.samplePayload)
        func offer(_ generation: Int) {
            presentations.offered(
                DownlinkOffer(generation: generation, present: present, deadline: nil),
                by: driver)
        }
        offer(1)
        try await attempts.next()
        offer(2)
        offer(3)
        gate.open()
        // The driver gets the end of each call.
        for _ in 1...3 { try await transport.nudges.next() }
        #expect(attempts.elements.count == 1)
    }

    /// A journal that knows no presentation.
    private struct EmptyJournal: DecisionJournal {
        var isBehind = false

        func record(of id: PresentationID) async throws -> DecisionRecord? { nil }
        func shown(_ id: PresentationID, _ asked: DecisionRecord.Asked) async throws {}
        func decided(_ id: PresentationID, _ answer: Answer) async throws {}
        func settled(
            _ id: PresentationID, answer: UniqueID, _ result: RecoveryResult
        ) async throws {}
        func lost(_ id: PresentationID, answer: UniqueID) async throws {}
        func ended(_ id: PresentationID, _ reason: Outcome.Reason) async throws {}
    }

    /// Sends as many results and withdrawals of unknown presentations as fill the node's room.
    /// Their readings alone keep the driver.
    private func fill(_ presentations: ChildPresentations, _ freed: Recorder<Void>) {
        let driver = NodeDriver.still(on: StillTransport(LifeToken(freed)))
        let asked = Message.Asked(
            origin: "worker", digest: ReportDigest(of: Message.samplePayload))
        for number in 0..<(ChildPresentations.waitingMax / ChildPresentations.taskCost) {
            let id = PresentationID.make()
            if number.isMultiple(of: 2) {
                presentations.withdrawnBefore(id, asked, isHere: false, by: driver)
            } else {
                let settled = Message.Settled(
                    id: id, answer: Message.sampleAnswer, result: .recovered)
                presentations.settledBefore(settled, of: asked, by: driver)
            }
        }
    }

    @Test("Results and withdrawals of unknown presentations take room only while they are read")
    func consulting() async throws {
        let presentations = presentations(
            ClosureResponder("head", next: nil), journal: EmptyJournal())
        let freed = Recorder<Void>()
        fill(presentations, freed)
        // The last reading has ended.
        try await freed.next()
        #expect(presentations.isReady)
    }

    @Test("With a journal that is behind there is no room for more work", arguments: [false, true])
    func behind(isBehind: Bool) {
        let presentations = presentations(
            ClosureResponder("head", next: nil), journal: EmptyJournal(isBehind: isBehind))
        #expect(presentations.isReady == !isBehind)
    }
}
