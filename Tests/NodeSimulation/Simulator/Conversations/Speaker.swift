import ErrorBus
import Foundation

/// A message as a peer gets it.
struct Said: CustomStringConvertible {
    /// Empty for one frame of JSON.
    let verb: String
    let fields: [String: String]
    let payload: String
    /// The frames before the last four: the envelope.
    let front: [String]
    let time: UInt64

    init(_ frames: [Frame], at time: UInt64) {
        self.time = time
        let texts = frames.map { String(decoding: $0, as: UTF8.self) }
        guard texts.count >= 4 else {
            (verb, fields, payload, front) = ("", [:], texts.last ?? "", texts.dropLast())
            return
        }
        let four = texts.suffix(4).map(\.self)
        front = texts.dropLast(4)
        var fields: [String: String] = [:]
        for line in four[2].split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        (verb, self.fields, payload) = (four[1], fields, four[3])
    }

    subscript(name: String) -> String? { fields[name] }

    var description: String {
        let all = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(verb) \(all.joined(separator: ", "))" + (payload.isEmpty ? "" : " \(payload)")
    }

    /// Whether the message has this verb and all these fields: `name: value`, or `no name` for a
    /// field that is absent.
    func fits(_ verb: String, _ fields: [String]) -> Bool {
        self.verb == verb
            && fields.allSatisfy { field in
                if field.hasPrefix("no ") { return self.fields[String(field.dropFirst(3))] == nil }
                let parts = field.split(separator: ":", maxSplits: 1)
                return parts.count == 2
                    && self.fields[String(parts[0])]
                        == parts[1].trimmingCharacters(in: .whitespaces)
            }
    }
}

/// A peer of the node of a ``Script``: a child, a parent, or a program without a link. It replies
/// to PING, and to HELLO where it is a parent; all else it says is the script's.
// Unchecked: see Scheduler.
final class Speaker: TransportReceiver, @unchecked Sendable {
    let name: String
    let talk: Talk
    /// What it has got, but for PING and, at a parent, HELLO.
    let heard: Mailbox<Said>
    private(set) var transport: SimulatedTransport
    private var socket: SocketID?
    /// Of a parent: what it puts in front of what it says.
    private var envelope: [Frame] = [[]]
    private var isUp: Mailbox<Void>
    /// How often it has sent PRESENT.
    private var attempts: [PresentationID: Int] = [:]
    /// How many PINGs, and HELLOs at a parent, it has got; and the last of the latter.
    private(set) var pingCount = 0
    private(set) var helloCount = 0
    private(set) var hello: Said?
    var boot: String
    /// Whether it replies to PING and to HELLO by itself.
    var repliesToPing = true
    var repliesToHello = true
    /// The verbs that it drops unread.
    var ignores: Set<String> = []
    /// What it says in WELCOME beside what it has to.
    var welcome: [String] = []
    /// Whether its WELCOME names the way up, which it is itself.
    var namesWay = true
    /// The names above it, in WELCOME.
    var wayUp: [String] = []
    let isParent: Bool

    init(_ name: String, boot: String, isParent: Bool, in talk: Talk) {
        self.name = name
        self.boot = boot
        self.isParent = isParent
        self.talk = talk
        heard = Mailbox(talk.scheduler)
        isUp = Mailbox(talk.scheduler)
        transport = SimulatedTransport(talk.named(name), talk.network)
    }

    // MARK: Its connection

    /// Proves itself by a key from here on.
    func has(_ holder: KeyHolder?) { transport.holder = holder }

    func listen(on endpoint: Endpoint) {
        transport.run { [self] in socket = try? transport.listen(on: endpoint, for: self) }
    }

    /// Opens a connection, and closes the former one without a word.
    func connect(to endpoint: Endpoint? = nil) async throws {
        transport.run { [self] in
            if let socket { transport.close(socket) }
            socket = try? transport.connect(to: endpoint ?? talk.endpoint, for: self)
        }
        guard await isUp.next(within: 2_000) != nil else {
            throw Misspoken(description: "\(name) gets no connection")
        }
    }

    /// Closes the connection without a word.
    func close() {
        transport.run { [self] in
            if let socket { transport.close(socket) }
            socket = nil
        }
    }

    /// Closes the connection without a word; what it has said before still arrives.
    func closeOnceSent() {
        transport.run { [self] in
            if let socket { transport.closeOnceSent(socket) }
            socket = nil
        }
    }

    /// As if its process were killed; a parent can be born again.
    func die() { transport.die() }

    func revive(on endpoint: Endpoint, boot: String) {
        transport = SimulatedTransport(talk.named(name), talk.network)
        self.boot = boot
        listen(on: endpoint)
    }

    func changed(_ event: ConnectionEvent, on socket: SocketID) {
        if event == .connected, socket == self.socket { isUp.add(()) }
    }

    func dropped(_ count: Int, on socket: SocketID) {}

    func woke() {}

    func received(_ frames: [Frame], on socket: SocketID, from sender: KeyHolder?) {
        guard socket == self.socket else { return }
        if isParent, let address = frames.first { envelope = [address, []] }
        let said = Said(frames, at: talk.scheduler.now)
        switch said.verb {
        case "PING":
            pingCount += 1
            if repliesToPing { say("PONG", "n: \(said["n"] ?? "")") }
        case "HELLO" where isParent:
            helloCount += 1
            hello = said
            guard repliesToHello else { return heard.add(said) }
            let way = namesWay ? ["path: \(([name] + wayUp).joined(separator: ","))"] : []
            say(
                "WELCOME",
                [
                    "node: \(name)", "boot: \(boot)", "version: EB1", "ping-ms: 4000",
                ] + way + welcome)
            isUp.add(())
        case let verb where ignores.contains(verb): break
        default: heard.add(said)
        }
    }

    // MARK: What it says

    func say(_ verb: String, _ fields: String..., payload: String = "") {
        say(verb, fields, payload: payload)
    }

    func say(_ verb: String, _ fields: [String], payload: String = "") {
        send(["EB1", verb, fields.map { $0 + "\n" }.joined(), payload])
    }

    /// Any frames, behind the envelope.
    func send(_ texts: [String]) {
        sendFrames(texts.map { Frame($0.utf8) }, behind: envelope)
    }

    func sendFrames(_ frames: [Frame], behind envelope: [Frame] = [[]]) {
        guard let socket else { return }
        transport.run { [self] in _ = transport.send(envelope + frames, on: socket) }
    }

    /// Of a child: PRESENT, as its own error if nothing else is said.
    func present(
        _ id: PresentationID, _ fields: String..., origin: String? = nil, path: String? = nil,
        report: String = Talk.report, attempt: Int? = nil
    ) {
        present(id, fields, origin: origin, path: path, report: report, attempt: attempt)
    }

    /// - Parameter attempt: One more than before if nothing else is said.
    func present(
        _ id: PresentationID, _ fields: [String], origin: String? = nil, path: String? = nil,
        report: String = Talk.report, attempt: Int? = nil
    ) {
        attempts[id] = attempt ?? (attempts[id] ?? 0) + 1
        let path = path ?? (origin.map { "\($0)," } ?? "") + name
        say(
            "PRESENT",
            [
                "id: \(id)", "attempt: \(attempts[id] ?? 1)", "origin: \(origin ?? name)",
                "path: \(path)",
            ] + fields, payload: report)
    }

    /// Of a parent: ANSWER with an option.
    func answer(
        _ id: PresentationID, _ option: String = "retry", as answer: PresentationID,
        _ more: String...
    ) {
        say(
            "ANSWER",
            ["id: \(id)", "answer: \(answer)", "by: ann", "via: person", "option: \(option)"] + more
        )
    }

    // MARK: What it hears

    /// The next message has this verb and these fields, as ``Said/fits(_:_:)`` has them, and comes
    /// within these milliseconds from now.
    @discardableResult
    func hears(
        _ verb: String, _ fields: String..., in time: ClosedRange<UInt64> = 0...150,
        line: Int = #line
    ) async throws -> Said {
        try await hears(verb, all: fields, in: time, line: line)
    }

    /// The same with a list of fields.
    @discardableResult
    func hears(
        _ verb: String, all fields: [String], in time: ClosedRange<UInt64> = 0...150,
        line: Int = #line
    ) async throws -> Said {
        let from = talk.scheduler.now
        let limit = time.upperBound
        // What comes in the last of these milliseconds comes in time.
        guard let said = await heard.next(within: limit + 1) else {
            throw Misspoken(
                description:
                    "line \(line): \(name) expects \(verb) \(fields.joined(separator: ", ")) "
                    + "within \(limit) ms; hears nothing")
        }
        let after = max(said.time, from) - from
        guard said.fits(verb, fields), time.contains(after) else {
            throw Misspoken(
                description:
                    "line \(line): \(name) expects \(verb) \(fields.joined(separator: ", ")) "
                    + "in \(time) ms; hears \(said) after \(after) ms")
        }
        return said
    }

    /// Waits for a message with this verb and these fields, and drops those that come before it.
    @discardableResult
    func hearsAmong(
        _ verb: String, _ fields: String..., within limit: UInt64, line: Int = #line
    ) async throws -> Said {
        let end = talk.scheduler.now + limit
        while talk.scheduler.now < end {
            guard let said = await heard.next(within: end - talk.scheduler.now) else { break }
            if said.fits(verb, fields) { return said }
        }
        throw Misspoken(
            description: "line \(line): \(name) expects \(verb) \(fields.joined(separator: ", ")) "
                + "among what comes within \(limit) ms")
    }

    /// One frame of JSON that has all these pieces of text.
    @discardableResult
    func hearsBare(
        _ pieces: String..., in time: ClosedRange<UInt64> = 0...150, line: Int = #line
    ) async throws -> String {
        let said = try await hears("", in: time, line: line)
        for piece in pieces where !said.payload.contains(piece) {
            throw Misspoken(
                description: "line \(line): \(name) expects \(piece); hears \(said.payload)")
        }
        return said.payload
    }

    /// Nothing comes for so many milliseconds.
    func hearsNothing(for time: UInt64, line: Int = #line) async throws {
        if let said = await heard.next(within: time) {
            throw Misspoken(description: "line \(line): \(name) expects nothing; hears \(said)")
        }
    }

    /// Of a parent: waits for the link.
    func isLinked(within limit: UInt64 = 3_000, line: Int = #line) async throws {
        guard await isUp.next(within: limit) != nil else {
            throw Misspoken(description: "line \(line): \(name) gets no HELLO in \(limit) ms")
        }
    }
}
