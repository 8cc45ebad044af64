@testable import BusNodeKit
@testable import ErrorBus
@testable import ErrorBusCore

/// A part of the library that reads what others write, and what holds for every input.
enum FuzzTarget: String, CaseIterable {
    /// Frames of a message, with a byte 0xFF between them.
    case frames
    /// The header of a message.
    case header
    /// The JSON of a report, or of a client's one frame.
    case report
    /// A topology, as JSON.
    case topology
    /// Two patterns and a text, a line each.
    case pattern
    /// A text with secrets.
    case secrets
    /// The events of a node, a line each: ``WalkInput``.
    case node
    /// A console's query, and a body in the lines after it.
    case request
    /// A cookie, a provider's token, its claims, a line each, and a file of users.
    case identity
    /// The parts of a request's head, a line each, and a cookie: ``ConsoleChecks/gate(_:)``.
    case gate
    /// A link that answers, a provider's document, its keys, a line each, and a key file.
    case credentials
    /// The text of a policy from another process, or the condition of a silence.
    case policy
    /// The values of an answer.
    case values
    /// The status of another node.
    case status

    func check(_ input: [UInt8]) throws(FuzzFinding) {
        switch self {
        case .frames: try Self.checkFrames(input)
        case .header: try Self.checkHeader(input)
        case .report: try Self.checkReport(input)
        case .topology: try Self.checkTopology(input)
        case .pattern: try Self.checkPattern(input)
        case .secrets: try Self.checkSecrets(input)
        case .node:
            var walk = NodeWalk(input)
            try walk.run()
        case .request: try ConsoleChecks.request(input)
        case .identity: try ConsoleChecks.identity(input)
        case .gate: try ConsoleChecks.gate(input)
        case .credentials: try ConsoleChecks.credentials(input)
        case .policy: try Self.checkPolicy(input)
        case .values: try Self.checkValues(input)
        case .status: try Self.checkStatus(input)
        }
    }

    /// A message is written as it is read, and a refusal has a reason.
    private static func checkFrames(_ input: [UInt8]) throws(FuzzFinding) {
        let frames = input.split(separator: 0xFF, omittingEmptySubsequences: false).map(Frame.init)
        if let (_, body) = try? Envelope.split(frames) { try checkMessage(body) }
        try checkMessage(frames[...])
    }

    private static func checkMessage(_ frames: ArraySlice<Frame>) throws(FuzzFinding) {
        let message: Message
        do throws(WireError) { message = try Message(frames: frames) } catch {
            return try hold(!error.reason.isEmpty, "a refusal without a reason")
        }
        let written = message.frames
        let again = try? Message(frames: written[...])
        try hold(again?.frames == written, "\(message) is written as \(written)")
    }

    /// A header is written as it is read, or refused with a reason.
    private static func checkHeader(_ input: [UInt8]) throws(FuzzFinding) {
        let header: Header
        do throws(WireError) { header = try Header(Frame(input)) } catch {
            return try hold(!error.reason.isEmpty, "a refusal without a reason")
        }
        var written = Header()
        written.append(header.fields)
        // With a space after each name it may be longer.
        guard written.byteCount <= WireLimits.standard.headerByteCountMax else { return }
        let again = try? Header(written.frame)
        try hold(again?.fields == header.fields, "\(header) is written as \(written.frame)")
    }

    /// A report is read as it was written, within the limits; its difference to itself is empty.
    private static func checkReport(_ input: [UInt8]) throws(FuzzFinding) {
        if let request = try? BareRequest(input) {
            try hold((try? ErrorReport(payload: request.payload)) != nil, "a bare request's report")
        }
        guard let report = try? ErrorReport(payload: input) else { return }
        let payload = report.payload()
        // Escapes may be longer as this package writes them.
        guard payload.count <= JSONLimits.report.byteCount else { return }
        let again = Result { () throws(ReportError) in try ErrorReport(payload: payload) }
        try hold(again == .success(report), "\(report) is read again as \(again)")
        try hold(ReportDifference(report, report).names.isEmpty, "differs from itself")
        var masked = report
        masked.mask(by: SecretMask())
        try hold(masked.options.map(\.id) == report.options.map(\.id), "options after masking")
    }

    /// A topology is valid, or has a problem for each mistake.
    private static func checkTopology(_ input: [UInt8]) throws(FuzzFinding) {
        guard let json = try? JSONValue.parse(input) else { return }
        let loaded: LoadedTopology
        do throws(ConfigurationFailure) {
            loaded = try TopologyReader.read(
                ConfigurationNode(json), folder: "/folder", environment: ["NAME": "value"]
            ) { _ throws(ConfigurationFailure) in ConfigurationNode(json["policy"] ?? [:]) }
        } catch {
            guard case .invalid(let problems, _) = error else { return }
            try hold(!problems.isEmpty, "invalid without a problem")
            return try hold(
                !problems.contains(where: \.description.isEmpty), "a problem without a message")
        }
        let written = json["nodes"]?.objectValue ?? [:]
        for name in written.keys.compactMap({ NodeName($0) }) {
            _ = loaded.topology.parentEndpoints(of: name)
            _ = loaded.topology.routeEndpoints(of: name)
        }
    }

    /// A policy and a condition are valid, or refused with a reason.
    private static func checkPolicy(_ input: [UInt8]) throws(FuzzFinding) {
        do throws(ConfigurationFailure) {
            _ = try PolicyText.rules(String(decoding: input, as: UTF8.self))
        } catch {
            try hold(!error.description.isEmpty, "a refusal without a reason")
        }
        guard let json = try? JSONValue.parse(input) else { return }
        do throws(ConfigurationProblem) { _ = try RuleMatch(json: json) } catch {
            try hold(!error.found.isEmpty, "a refusal without a reason")
        }
    }

    /// Values are read as they were written, and without secrets where those are left out.
    private static func checkValues(_ input: [UInt8]) throws(FuzzFinding) {
        let given: GivenValues
        do throws(FieldFault) { given = try GivenValues(payload: input) } catch {
            return try hold(!error.found.isEmpty, "a refusal without a reason")
        }
        let written = given.payload
        guard written.isEmpty || (try? JSONValue.parse(written)) != nil else { return }
        try hold((try? GivenValues(payload: written)) == given, "\(given) is read otherwise")
        let stored = given.withoutSecrets
        try hold(stored.secrets.isEmpty, "a secret is stored")
        try hold(Set(stored.secretNames) == Set(given.secretNames), "the names of secrets")
        guard !given.isEmpty else { return }
        try hold((try? given.checked(for: [])) == nil, "values of no field")
    }

    /// A status is read as it was written, but for the texts that are cut, and shown in lines.
    private static func checkStatus(_ input: [UInt8]) throws(FuzzFinding) {
        guard let status = try? NodeStatus(payload: input) else { return }
        let shown = StatusText(status).lines.joined()
        try hold(
            !shown.unicodeScalars.contains { $0.properties.generalCategory == .control },
            "control characters in \(shown)")
        let written = status.json.encoded()
        // It may be longer, with all members that a peer left out.
        guard (try? JSONValue.parse(written)) != nil else { return }
        let again = try? NodeStatus(payload: written)
        try hold(again.map(plain) == plain(status), "\(status) is read otherwise")
    }

    /// A status without the texts that a writer cuts.
    private static func plain(_ status: NodeStatus) -> NodeStatus {
        var status = status
        status.version = ""
        for index in status.parents.indices { status.parents[index].reason = nil }
        return status
    }

    /// What a pattern covers, it matches.
    private static func checkPattern(_ input: [UInt8]) throws(FuzzFinding) {
        let lines = input.split(
            separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false
        ).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count == 3, let one = try? TextPattern(lines[0]) else { return }
        let isMatch = one.matches(lines[2])
        guard let other = try? TextPattern(lines[1]) else { return }
        if one.covers(other), other.matches(lines[2]) {
            try hold(isMatch, "\(lines[0]) covers \(lines[1]), and does not match \(lines[2])")
        }
    }

    /// No secret of the environment is left, and no character is cut.
    private static func checkSecrets(_ input: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: input, as: UTF8.self)
        let mask = SecretMask(environment: ["A_TOKEN": "planted", "B_SECRET": "plants"])
        let masked = mask.masking(text)
        try hold(!masked.utf8.contains("planted".utf8), "a secret is left: \(masked)")
        try hold(
            masked.unicodeScalars.count { $0 == "\u{FFFD}" }
                <= text.unicodeScalars.count { $0 == "\u{FFFD}" }, "a character is cut: \(masked)")
        _ = mask.masking(words: input.split(separator: 0).map(Array.init))
    }
}

/// What does not hold for an input.
struct FuzzFinding: Error, Hashable, CustomStringConvertible {
    let description: String
}

/// Throws where a condition does not hold.
func hold(_ condition: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
    if !condition { throw FuzzFinding(description: what()) }
}

extension ReportDifference {
    fileprivate var names: [String] { texts.map(\.field) + added.map(\.id) + removed + redacted }
}

extension Collection<UInt8> {
    fileprivate func contains(_ other: some Collection<UInt8>) -> Bool {
        !Array(self).ranges(of: Array(other)).isEmpty
    }
}

extension ConfigurationNode {
    /// What a file with this JSON has.
    fileprivate init(_ json: JSONValue) {
        let place = ConfigurationLocation(file: "topology.json", line: 1, column: 1)
        let value: Value =
            switch json {
            case .null: .scalar("null", isQuoted: false)
            case .bool(let isOn): .scalar("\(isOn)", isQuoted: false)
            case .integer(let number): .scalar("\(number)", isQuoted: false)
            case .number(let number): .scalar("\(number)", isQuoted: false)
            case .string(let text): .scalar(text, isQuoted: true)
            case .array(let elements): .sequence(elements.map(ConfigurationNode.init))
            case .object(let members):
                .mapping(
                    members.sorted { $0.key < $1.key }.map { key, value in
                        Entry(key: key, keyLocation: place, value: ConfigurationNode(value))
                    })
            }
        self.init(value, at: place)
    }
}
