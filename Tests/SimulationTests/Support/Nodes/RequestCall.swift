@testable import ErrorBus

/// The plain REQ client of the protocol text: one reply per request, RELAXED and CORRELATE.
final class RequestCall: ClientCall {
    var socket: ChildSocket?
    private unowned let node: ClientNode
    private let id: PresentationID
    private var request: UInt64 = 0
    private var attempt: UInt64 = 0
    /// The answer that was applied and what came of it.
    private var applied: (answer: UniqueID, result: RecoveryResult?)?
    private var settledTries = 0
    private var isOver = false

    init(_ node: ClientNode, _ id: PresentationID) {
        self.node = node
        self.id = id
    }

    func begin() { present() }
    func connected() {}

    private func send(_ message: Message, orAfter timeout: UInt64, _ again: @escaping () -> Void) {
        guard let socket, !isOver else { return }
        request += 1
        let sent = request
        node.send(.message(message), Array("\(sent)".utf8), by: socket)
        node.after(timeout) { [self] in if request == sent, !isOver { again() } }
    }

    private func later(_ pause: UInt64, _ action: @escaping () -> Void) {
        request += 1
        let paused = request
        node.after(pause) { [self] in if request == paused, !isOver { action() } }
    }

    private func present() {
        attempt += 1
        let payload = OptionList.of(node.name).payload
        let present = Message.Present(
            id: id, attempt: attempt, origin: node.name, path: [node.name],
            waitMilliseconds: 20_000, payload: payload)
        send(.present(present), orAfter: 25_000) { [self] in self.present() }
    }

    private func ask() {
        send(.await(id: id, waitMilliseconds: 20_000), orAfter: 25_000) { [self] in present() }
    }

    func received(_ packet: Packet, _ correlation: Frame?) {
        guard case .message(let message) = packet, correlation == Array("\(request)".utf8), !isOver
        else { return }
        switch message {
        case .answer(let decision): answered(decision)
        case .pending: later(node.world.random.number(in: 0...1_000)) { [self] in ask() }
        case .ok: if applied != nil { over() }
        case .withdrawn: refused(.gone)
        case .reject(let reject): rejected(reject)
        default: break
        }
    }

    private func rejected(_ reject: Message.Reject) {
        if applied != nil { return over() }
        switch reject.code {
        case .unknownID: later(100) { [self] in present() }
        case .busy, .noResponder:
            later(reject.retryMilliseconds ?? 1_000) { [self] in present() }
        default: refused(reject.code)
        }
    }

    private func refused(_ code: RejectCode) {
        guard applied == nil else { return over() }
        node.complete(id, .refused(code), didRecover: false)
        over()
    }

    private func answered(_ decision: Message.Decision) {
        if let applied {
            if let result = applied.result { settle(decision.answer, result) }
            return
        }
        request += 1
        applied = (decision.answer, nil)
        if let didRecover = decision.didRecover {
            node.complete(
                id,
                .decidedAbove(decision.answer, option: decision.option, reason: decision.reason),
                didRecover: didRecover)
            return settle(decision.answer, didRecover ? .recovered : .failed)
        }
        let option = decision.option ?? ""
        guard OptionList.of(node.name).options.contains(option) else {
            node.world.ledger.note(.alienOption(id, option: option, by: node.name))
            return settle(decision.answer, .invalid)
        }
        node.attempt(id, (decision.answer, option)) { [self] result in
            node.complete(
                id, .answered(decision.answer, option: option),
                didRecover: result == .recovered)
            settle(decision.answer, result)
        }
    }

    private func settle(_ answer: UniqueID, _ result: RecoveryResult) {
        applied = (answer, result)
        settledTries += 1
        guard settledTries < 10 else { return over() }
        let settled = Message.Settled(id: id, answer: answer, result: result)
        send(.settled(settled), orAfter: 3_000) { [self] in settle(answer, result) }
    }

    private func over() {
        isOver = true
        node.done(id)
    }
}
