@testable import ErrorBus

/// A client of one JSON frame, asking again under its id when no reply comes.
final class BareCall: ClientCall {
    var socket: ChildSocket?
    private unowned let node: ClientNode
    private let id: PresentationID
    private var request: UInt64 = 0
    private var isOver = false
    private var isSent = false

    init(_ node: ClientNode, _ id: PresentationID) {
        self.node = node
        self.id = id
    }

    func begin() { ask() }
    func connected() { if !isSent { ask() } }

    private func ask() {
        guard let socket, !isOver else { return }
        request += 1
        isSent = socket.connection != nil
        let sent = request
        let options = OptionList.of(node.name).options
            .map { "{\"id\":\"\($0)\",\"title\":\"x\"}" }.joined(separator: ",")
        let text =
            "{\"domain\":\"d\",\"description\":\"x\",\"id\":\"\(id)\","
            + "\"recoveryOptions\":[\(options)]}"
        node.send(.bareRequest(Array(text.utf8)), Array("\(sent)".utf8), by: socket)
        node.after(30_000) { [self] in if request == sent { ask() } }
    }

    func received(_ packet: Packet, _ correlation: Frame?) {
        guard case .bareReply(let reply) = packet, correlation == Array("\(request)".utf8), !isOver
        else { return }
        request += 1
        let world = node.world
        switch (reply.outcome, reply.code) {
        case (.rejected, .busy?), (.rejected, .noResponder?), (.rejected, .conflict?):
            // The last: an older request of this client overtook this one.
            return node.after(1_000) { [self] in ask() }
        case (.rejected, let code?): return over(.refused(code), false)
        case (.expired, _): return over(.expired, false)
        case (.answered, _), (.handled, _), (.withheld, _), (.rejected, nil): break
        }
        // The reply names no answer: what it says is checked by its option.
        let answer = UniqueID(high: 0, low: 0)
        if let didRecover = reply.didRecover {
            return over(
                .decidedAbove(answer, option: reply.option, reason: reply.reason), didRecover)
        }
        let option = reply.option ?? ""
        guard OptionList.of(node.name).options.contains(option) else {
            world.ledger.note(.alienOption(id, option: option, by: node.name))
            return over(.answered(answer, option: option), false)
        }
        node.attempt(id, (answer, option)) { [self] result in
            over(.answered(answer, option: option), result == .recovered)
        }
    }

    private func over(_ ending: Fact.Ending, _ didRecover: Bool) {
        guard !isOver else { return }
        isOver = true
        node.complete(id, ending, didRecover: didRecover)
        node.done(id)
    }
}
