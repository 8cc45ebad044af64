extension Message {
    /// The four frames after the envelope.
    package var frames: [Frame] {
        [WireLimits.magic, Frame(verb.rawValue.utf8), header.frame, payload]
    }

    /// The number of bytes and fields of the header frame.
    var headerSize: (byteCount: Int, fieldCount: Int) {
        let header = header
        return (header.byteCount, header.count)
    }

    private var payload: Frame {
        switch self {
        case .present(let present): present.payload
        case .answer(_, let answer, _): answer.extras.payload
        case .state(let payload): payload
        default: []
        }
    }

    private var header: Header {
        var header = Header()
        switch self {
        case .hello(let hello):
            header.append("from", hello.from.description)
            header.append("boot", hello.boot.description)
            header.append("versions", hello.versions.joined(separator: ","))
        case .welcome(let welcome): welcome.write(to: &header)
        case .present(let present): present.write(to: &header)
        case .accepted(let id, let attempt):
            header.append("id", id)
            header.append("attempt", attempt)
        case .pending(let pending): pending.write(to: &header)
        case .await(let id, let wait):
            header.append("id", id)
            header.append("wait-ms", wait)
        case .answer(let id, let answer, let digest):
            header.append("id", id)
            header.append("digest", digest)
            answer.write(to: &header)
        case .settled(let settled):
            header.append("id", settled.id)
            header.append("answer", settled.answer)
            header.append("result", settled.result.rawValue)
            header.append(settled.asked)
        case .withdraw(let id, let reason, let asked):
            header.append("id", id)
            header.append("reason", reason.rawValue)
            header.append(asked)
        case .withdrawn(let id): header.append("id", id)
        case .ping(let number), .pong(let number): header.append("n", number)
        case .reject(let reject): reject.write(to: &header)
        case .ok(let id): header.append("id", id)
        case .bye(let reason):
            header.append("reason", reason.isEmpty ? nil : reason.asHeaderText)
        case .status, .state: break
        }
        return header
    }
}

extension Header {
    fileprivate mutating func append(_ asked: Message.Asked?) {
        append("origin", asked?.origin.description)
        append("digest", asked?.digest)
    }
}

extension [NodeName] {
    /// A path as a header field.
    var asHeaderField: String { map(\.description).joined(separator: ",") }
}

extension Message {
    /// Reads the four frames after the envelope. Any frames give a message or a refusal.
    package init(frames: ArraySlice<Frame>, limits: WireLimits = .standard) throws(WireError) {
        do throws(WireError) {
            self = try Self.read(frames, limits: limits)
        } catch {
            var refusal = error
            let verb = frames.dropFirst().first.flatMap { Verb(frame: $0) }
            refusal.endsExchange = verb?.endsExchange == true
            throw refusal
        }
    }

    private static func read(
        _ frames: ArraySlice<Frame>, limits: WireLimits
    ) throws(WireError) -> Message {
        guard let magic = frames.first else {
            throw WireError(.malformed, "0 frames after the envelope; 4 are expected")
        }
        guard magic == WireLimits.magic else {
            throw wrongMagic(magic)
        }
        guard frames.count == 4 else {
            throw WireError(
                .malformed, "\(frames.count) or more frames after the envelope; 4 are expected")
        }
        let verbFrame = frames[frames.startIndex + 1]
        guard let verb = Verb(frame: verbFrame) else {
            throw WireError(.version, "verb \"\(verbFrame.excerpt)\" is not one of EB1's")
        }
        let header = try Header(frames[frames.startIndex + 2], limits: limits)
        let payload = frames[frames.startIndex + 3]
        guard payload.count <= limits.payloadByteCountMax else {
            throw WireError(
                .tooLarge,
                "payload of \(payload.count) bytes; at most \(limits.payloadByteCountMax)",
                id: header["id"].flatMap { PresentationID($0) })
        }
        return try Message(HeaderReader(verb, header), payload: payload)
    }

    private static func wrongMagic(_ magic: Frame) -> WireError {
        let digits = magic.dropFirst(2)
        if magic.starts(with: "EB".utf8), !digits.isEmpty,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        {
            return WireError(.version, "version \(magic.excerpt); this node speaks EB1")
        }
        return WireError(.malformed, "magic \"\(magic.excerpt)\"; expected EB1")
    }

    private init(_ fields: HeaderReader, payload: Frame) throws(WireError) {
        switch fields.verb {
        case .hello: self = .hello(try Hello(fields))
        case .welcome: self = .welcome(try Welcome(fields))
        case .present: self = .present(try Present(fields, payload: payload))
        case .accepted:
            self = .accepted(
                id: try fields.presentationID(), attempt: try fields.requiredNumber("attempt"))
        case .pending: self = .pending(try Pending(fields))
        case .await:
            self = .await(
                id: try fields.presentationID(),
                waitMilliseconds: try fields.number("wait-ms") ?? 0)
        case .answer:
            self = .answer(
                try fields.presentationID(), try Answer(fields, payload: payload),
                digest: try fields.digest())
        case .settled: self = .settled(try Settled(fields))
        case .withdraw:
            // A reason unknown here still means that the origin withdrew.
            let reason = fields.text("reason").flatMap { WithdrawReason(rawValue: $0) }
            self = .withdraw(
                id: try fields.presentationID(), reason: reason ?? .origin,
                asked: try Asked(fields))
        case .withdrawn: self = .withdrawn(id: try fields.presentationID())
        case .ping: self = .ping(try fields.requiredNumber("n"))
        case .pong: self = .pong(try fields.requiredNumber("n"))
        case .reject: self = .reject(try Reject(fields))
        case .ok: self = .ok(id: try fields.optional("id", "a UUID") { PresentationID($0) })
        case .bye: self = .bye(reason: fields.text("reason") ?? "")
        case .status: self = .status
        case .state:
            guard !payload.isEmpty else {
                throw WireError(.malformed, "STATE without a payload; expected a JSON object")
            }
            self = .state(payload)
        }
    }
}

extension Message.Hello {
    fileprivate init(_ fields: HeaderReader) throws(WireError) {
        from = try fields.nodeName("from")
        boot = try fields.required("boot", BootID.allowed) { BootID($0) }
        versions = try fields.requiredText("versions").split { $0 == "," || $0 == " " }
            .map(String.init)
        // A client written from the magic's number alone would send "1".
        guard versions.contains(where: { $0 == WireLimits.version || $0 == "1" }) else {
            throw WireError(
                .version,
                "versions \(versions.joined(separator: " ")); this node speaks EB1")
        }
    }
}

extension Message.Welcome {
    fileprivate init(_ fields: HeaderReader) throws(WireError) {
        node = try fields.nodeName("node")
        boot = try fields.required("boot", BootID.allowed) { BootID($0) }
        version = try fields.required("version", "EB1") { $0 == WireLimits.version ? $0 : nil }
        maxHeader = try fields.number("max-header") ?? 8 * 1024
        maxPayload = try fields.number("max-payload") ?? 256 * 1024
        maxOpen = try fields.number("max-open") ?? 1024
        pingMilliseconds = try fields.number("ping-ms") ?? 4000
        path =
            try fields.optionalBytes("path", "node names separated by commas") {
                HeaderReader.path($0)
            } ?? []
    }

    fileprivate func write(to header: inout Header) {
        header.append("node", node.description)
        header.append("boot", boot.description)
        header.append("version", version)
        header.append("max-header", maxHeader)
        header.append("max-payload", maxPayload)
        header.append("max-open", maxOpen)
        header.append("ping-ms", pingMilliseconds)
        if !path.isEmpty { header.append("path", path.asHeaderField) }
    }
}

extension Message.Present {
    static let knownFields = [
        "id", "attempt", "origin", "path", "digest", "left-ms", "wait-ms", "retry-of",
        "traceparent", "reachable",
    ]

    fileprivate init(_ fields: HeaderReader, payload: Frame) throws(WireError) {
        id = try fields.presentationID()
        attempt = try fields.requiredBytes("attempt", "a whole number from 1") {
            HeaderReader.number($0).flatMap { $0 > 0 ? $0 : nil }
        }
        origin = try fields.name("origin")
        path = try fields.path("path")
        digest = try fields.digest()
        leftMilliseconds = try fields.number("left-ms")
        waitMilliseconds = try fields.number("wait-ms")
        retryOf = try fields.optional("retry-of", "a UUID") { PresentationID($0) }
        traceparent = fields.text("traceparent")
        isOriginReachable = try fields.bool("reachable") ?? true
        unknownFields = fields.header.unknown(besides: Self.knownFields)
        guard !payload.isEmpty else {
            throw WireError(
                .malformed, "PRESENT without a payload; expected an error report", id: id)
        }
        self.payload = payload
    }

    /// The most bytes that the header takes with any attempt, found without writing it; nil if it
    /// has texts of any length. The fields beside the path take 296 bytes.
    var headerByteCountAtMost: Int? {
        guard unknownFields.isEmpty, traceparent == nil else { return nil }
        return 320 + path.count * (NodeName.byteCountMax + 1)
    }

    fileprivate func write(to header: inout Header) {
        header.append("id", id)
        header.append("attempt", attempt)
        header.append("origin", origin.description)
        header.append("path", path.asHeaderField)
        header.append("digest", digest)
        header.append("left-ms", leftMilliseconds)
        header.append("wait-ms", waitMilliseconds)
        header.append("retry-of", retryOf)
        header.append("traceparent", traceparent?.asHeaderText)
        if !isOriginReachable { header.append("reachable", "false") }
        header.append(unknownFields)
    }
}

extension Message.Pending {
    fileprivate init(_ fields: HeaderReader) throws(WireError) {
        id = try fields.presentationID()
        state = try fields.required(
            "state", PresentationState.Station.allCases.map(\.rawValue).joined(separator: ", ")
        ) { PresentationState.Station(rawValue: $0) }
        sinceMilliseconds = try fields.number("since-ms")
        by = fields.text("by")
    }

    fileprivate func write(to header: inout Header) {
        header.append("id", id)
        header.append("state", state.rawValue)
        header.append("since-ms", sinceMilliseconds)
        header.append("by", by?.asHeaderText)
    }
}

extension Answer {
    static let knownFields = [
        "id", "digest", "answer", "by", "via", "option", "did-recover", "reason", "second",
    ]
    /// The most unknown fields that a node keeps: a node that passes the answer down may add each
    /// known field, and a header has a limit.
    static let unknownFieldCountMax = WireLimits.headerFieldCountMax - knownFields.count

    private static var vias: String { Via.allCases.map(\.rawValue).joined(separator: ", ") }

    fileprivate init(_ fields: HeaderReader, payload: Frame) throws(WireError) {
        self.init(
            id: try fields.uniqueID("answer"),
            option: try fields.option("option"), by: try fields.requiredText("by"),
            via: try fields.required("via", Self.vias) { Via(rawValue: $0) },
            second: fields.text("second"), didRecover: try fields.bool("did-recover"),
            reason: fields.text("reason"),
            extras: Extras(
                fields: fields.header.unknown(besides: Self.knownFields)
                    .prefix(Self.unknownFieldCountMax)
                    .map { Extras.Field(name: $0.name, value: $0.value) },
                payload: payload))
        guard chosen != nil || didRecover != nil else {
            throw WireError(
                .malformed, "ANSWER with neither option nor did-recover",
                id: try fields.presentationID())
        }
    }

    fileprivate func write(to header: inout Header) {
        header.append("answer", id)
        header.append("by", by.asHeaderText)
        header.append("via", via.rawValue)
        header.append("option", chosen?.asHeaderText)
        header.append("did-recover", didRecover.map(String.init))
        header.append("reason", reason?.asHeaderText)
        header.append("second", second?.asHeaderText)
        header.append(extras.fields.map { Header.Field(name: $0.name, value: $0.value) })
    }
}

extension Message.Asked {
    /// The origin and digest of the fields; nil when both are absent.
    fileprivate init?(_ fields: HeaderReader) throws(WireError) {
        let origin = try fields.optional("origin", NodeName.allowed) { NodeName($0) }
        let digest = try fields.digest()
        guard (origin == nil) == (digest == nil) else {
            throw WireError(
                .malformed,
                "\(fields.verb.rawValue) with only one of origin and digest; expected: both or "
                    + "neither", id: try fields.presentationID())
        }
        guard let origin, let digest else { return nil }
        self.init(origin: origin, digest: digest)
    }
}

extension Message.Settled {
    fileprivate init(_ fields: HeaderReader) throws(WireError) {
        id = try fields.presentationID()
        answer = try fields.uniqueID("answer")
        result = try fields.required(
            "result", RecoveryResult.allCases.map(\.rawValue).joined(separator: ", ")
        ) { RecoveryResult(rawValue: $0) }
        asked = try Message.Asked(fields)
    }
}

extension Message.Reject {
    fileprivate init(_ fields: HeaderReader) throws(WireError) {
        id = try fields.optional("id", "a UUID") { PresentationID($0) }
        code = try fields.requiredBytes("code", "400 to 599") {
            HeaderReader.number($0).flatMap { RejectCode(number: $0) }
        }
        reason = try fields.requiredText("reason")
        retryMilliseconds = try fields.number("retry-ms")
    }

    fileprivate func write(to header: inout Header) {
        header.append("id", id)
        header.append("code", UInt64(code.rawValue))
        header.append("reason", reason.asHeaderText)
        header.append("retry-ms", retryMilliseconds)
    }
}
