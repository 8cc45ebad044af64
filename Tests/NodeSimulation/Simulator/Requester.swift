import ErrorBus
import Foundation

/// A program without a link: it sends one request of the protocol at a time and gets one reply, as
/// docs/wire.md has it for a plain REQ client. It shares no code with the nodes.
// Unchecked: see Scheduler.
final class Requester: TransportReceiver, @unchecked Sendable {
    private static let wait: UInt64 = 20_000
    /// How long it waits for a reply before it sends a request again.
    static let patience = wait + 2_000

    private struct Result {
        let answer: String
        let result: String
    }

    private let world: World
    private let life: Life
    private let transport: SimulatedTransport
    private let endpoint: Endpoint
    private let id: PresentationID
    private let call: Plan.Call
    /// The place of the asking in the ledger.
    private let number: Int
    private var socket: SocketID?
    private var attempt = 0
    /// What is sent next, or again.
    private var verb = "PRESENT"
    /// Counts the requests, so that the timer of one that got its reply does nothing.
    private var requestCount = 0
    private var result: Result?
    private var isCarriedOut = false
    /// Half of them say with a result what it is of, which a hop may have forgotten.
    private var saysWhatItAsked: Bool { number.isMultiple(of: 2) }
    private var isDone = false

    init(
        _ id: PresentationID, _ call: Plan.Call, number: Int, to endpoint: Endpoint, of life: Life,
        in world: World
    ) {
        self.id = id
        self.call = call
        self.number = number
        self.endpoint = endpoint
        self.life = life
        self.world = world
        transport = life.transport
    }

    func ask() {
        begin("PRESENT")
        guard let deadline = world.ledger.asks[number].deadline else { return }
        // Its own clock is final.
        world.scheduler.at(deadline + 1_000) { [self] in
            guard !life.isOver, !isDone, !isCarriedOut, verb != "WITHDRAW" else { return }
            complete(.expired, detail: nil)
            begin("WITHDRAW")
        }
    }

    /// The caller gives up.
    func withdraw() {
        guard !isDone, !isCarriedOut else { return }
        complete(.withdrawn, detail: nil)
        begin("WITHDRAW")
    }

    /// A socket of its own for each request: one that waits for a reply can send no other.
    private func begin(_ verb: String) {
        guard !life.isOver, !isDone else { return }
        self.verb = verb
        requestCount += 1
        let (count, begunAt) = (requestCount, world.scheduler.now)
        transport.run { [self] in
            if let socket { transport.close(socket) }
            socket = try? transport.connect(to: endpoint, for: self)
        }
        world.scheduler.after(Self.patience) { [self] in
            guard count == requestCount, !life.isOver, !isDone else { return }
            world.noteUnreplied(verb, of: id, since: begunAt)
            begin(self.verb == "AWAIT" ? "PRESENT" : self.verb)
        }
    }

    func changed(_ event: ConnectionEvent, on socket: SocketID) {
        guard event == .connected, socket == self.socket else { return }
        world.requested(id, at: life.process.parents.first ?? "")
        _ = transport.send([[]] + request, on: socket)
    }

    private var request: [Frame] {
        var (header, payload) = ("id: \(id)\n", "")
        switch verb {
        case "PRESENT":
            attempt += 1
            let ask = world.ledger.asks[number]
            let name = life.process.name
            header += "attempt: \(attempt)\norigin: \(name)\npath: \(name)\n"
            header += "wait-ms: \(Self.wait)\n"
            // What has its answer is asked again for the sake of its result alone.
            if let deadline = ask.deadline, !isCarriedOut {
                header += "left-ms: \(max(deadline, world.scheduler.now) - world.scheduler.now)\n"
            }
            payload = report
        case "AWAIT": header += "wait-ms: \(Self.wait)\n"
        case "SETTLED":
            header += "answer: \(result?.answer ?? "")\nresult: \(result?.result ?? "")\n"
            if saysWhatItAsked { header += asked }
        default: header += "reason: origin\n" + asked
        }
        return ["EB1", verb, header, payload].map { Frame($0.utf8) }
    }

    private var asked: String { "origin: \(life.process.name)\ndigest: \(digest)\n" }

    private var report: String {
        """
        {"domain": "simulation.request", "code": \(world.ledger.asks[number].trouble),
        "description": "Trouble.", "recoveryOptions": [{"id": "retry", "title": "Retry"},
        {"id": "skip", "title": "Skip", "role": "cancel"}]}
        """
    }

    /// FNV-1a 64 of the report.
    private var digest: String { Self.digest(of: report) }

    static func digest(of report: String) -> String {
        let hash = report.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }

    func received(_ frames: [Frame], on socket: SocketID, from sender: KeyHolder?) {
        guard socket == self.socket, frames.count > 3, !isDone else { return }
        let texts = frames.suffix(4).map { String(decoding: $0, as: UTF8.self) }
        var fields: [String: String] = [:]
        for line in texts[2].split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        guard fields["id"] == "\(id)" || texts[1] == "OK" else { return }
        replied(texts[1], fields)
    }

    private func replied(_ reply: String, _ fields: [String: String]) {
        requestCount += 1
        world.replied(id)
        switch reply {
        case "ANSWER": answered(fields)
        case "PENDING": begin("AWAIT")
        case "OK" where verb == "SETTLED": isDone = true
        case "OK" where verb == "WITHDRAW", "WITHDRAWN": end(.withdrawn, fields)
        case "REJECT" where fields["code"] == "404": begin("PRESENT")
        case "REJECT" where ["429", "503", "403"].contains(fields["code"]):
            let count = requestCount
            world.scheduler.after(UInt64(fields["retry-ms"] ?? "") ?? 1_000) { [self] in
                if count == requestCount { begin(verb == "AWAIT" ? "PRESENT" : verb) }
            }
        case "REJECT" where fields["code"] == "408": end(.expired, fields)
        case "REJECT": end(.rejected, fields)
        default: begin(verb)
        }
    }

    private func answered(_ fields: [String: String]) {
        guard let text = fields["answer"], let answerID = UniqueID(text) else { return }
        if isCarriedOut || verb == "WITHDRAW" {
            // Given up at the moment when the answer came; or the hop has forgotten what it got.
            if result != nil { begin("SETTLED") } else if verb == "WITHDRAW" { begin(verb) }
            return
        }
        isCarriedOut = true
        let answer = fields["option"].map {
            Answer(
                id: answerID, option: $0, by: fields["by"] ?? "",
                via: Answer.Via(rawValue: fields["via"] ?? "") ?? .handler)
        }
        if let text = fields["did-recover"] {
            settle(answer, text == "true", fields)
        } else if let answer {
            Task.detached { [self] in
                let didRecover = await world.attempt(
                    answer.option, of: id, in: life, for: call.attempt,
                    doesRecover: answer.option == "retry" && call.doesRecover)
                settle(answer, didRecover, fields)
            }
        } else {
            settle(nil, false, fields)
        }
    }

    private func settle(_ answer: Answer?, _ didRecover: Bool, _ fields: [String: String]) {
        guard !life.isOver else { return }
        complete(
            Outcome(
                didRecover: didRecover,
                reason: fields["reason"].map { Outcome.Reason(rawValue: $0) } ?? .answered,
                decidedBy: fields["by"] ?? "", answer: answer))
        result = Result(
            answer: fields["answer"] ?? "", result: didRecover ? "recovered" : "failed")
        begin("SETTLED")
    }

    private func end(_ reason: Outcome.Reason, _ fields: [String: String]) {
        isDone = true
        complete(reason, detail: fields["reason"])
    }

    private func complete(_ reason: Outcome.Reason, detail: String?) {
        guard world.ledger.asks[number].completions.isEmpty else { return }
        complete(
            Outcome(
                didRecover: false, reason: reason, decidedBy: life.process.name, detail: detail))
    }

    private func complete(_ outcome: Outcome) {
        world.scheduler.note("end \(id) \(outcome)")
        world.ledger.asks[number].completions.append((world.scheduler.now, outcome))
    }

    /// One request and its reply fill no queue.
    func dropped(_ count: Int, on socket: SocketID) {}

    func woke() {}
}

extension World {
    /// A requester asks, and perhaps gives up.
    func request(_ id: PresentationID, _ call: Plan.Call, _ number: Int, of life: Life) {
        guard let endpoint = life.process.parents.first.flatMap(endpoint) else { return }
        let requester = Requester(id, call, number: number, to: endpoint, of: life, in: self)
        requester.ask()
        guard let patience = call.cancelledAfter else { return }
        scheduler.after(patience) { [self] in
            guard !life.isOver, ledger.asks[number].completions.isEmpty,
                !ledger.isBeingAttempted(ledger.asks[number])
            else { return }
            scheduler.note("cancel \(id)")
            ledger.asks[number].cancelled = scheduler.now
            requester.withdraw()
        }
    }
}
