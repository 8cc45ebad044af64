extension Message {
    /// Reads the four frames after the envelope. Any frames give a message or a refusal.
    init(frames: ArraySlice<Frame>, limits: WireLimits = .standard) throws(WireError) {
        guard let magic = frames.first else {
            throw WireError(.malformed, "0 frames after the envelope; 4 are expected")
        }
        guard magic == WireLimits.magic else {
            throw Self.wrongMagic(magic)
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
        try self.init(HeaderReader(verb, header), payload: payload)
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
        boot = try fields.required("boot", "16 hexadecimal digits") { BootID($0) }
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
        boot = try fields.required("boot", "16 hexadecimal digits") { BootID($0) }
        version = try fields.required("version", "EB1") { $0 == WireLimits.version ? $0 : nil }
        maxHeader = try fields.number("max-header") ?? 8 * 1024
        maxPayload = try fields.number("max-payload") ?? 256 * 1024
        maxOpen = try fields.number("max-open") ?? 1024
        pingMilliseconds = try fields.number("ping-ms") ?? 4000
        path =
            try fields.optional("path", "node names separated by commas") {
                HeaderReader.path($0)
            } ?? []
    }
}

extension Message.Present {
    static let knownFields = [
        "id", "attempt", "origin", "path", "digest", "left-ms", "wait-ms", "retry-of",
        "traceparent", "reachable",
    ]

    fileprivate init(_ fields: HeaderReader, payload: Frame) throws(WireError) {
        id = try fields.presentationID()
        attempt = try fields.required("attempt", "a whole number from 1") {
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
}

extension Answer {
    static let knownFields = [
        "id", "digest", "answer", "by", "via", "option", "did-recover", "reason", "second",
    ]

    fileprivate init(_ fields: HeaderReader, payload: Frame) throws(WireError) {
        let vias = Via.allCases.map(\.rawValue).joined(separator: ", ")
        self.init(
            id: try fields.required("answer", "a UUID") { UniqueID($0) },
            option: try fields.option("option"), by: try fields.requiredText("by"),
            via: try fields.required("via", vias) { Via(rawValue: $0) },
            second: fields.text("second"), didRecover: try fields.bool("did-recover"),
            reason: fields.text("reason"),
            extras: Extras(
                fields: fields.header.unknown(besides: Self.knownFields)
                    .map { Extras.Field(name: $0.name, value: $0.value) },
                payload: payload))
        guard chosen != nil || didRecover != nil else {
            throw WireError(
                .malformed, "ANSWER with neither option nor did-recover",
                id: try fields.presentationID())
        }
    }
}

extension Message.Asked {
    /// Nil when both fields are absent.
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
        answer = try fields.required("answer", "a UUID") { UniqueID($0) }
        result = try fields.required(
            "result", RecoveryResult.allCases.map(\.rawValue).joined(separator: ", ")
        ) { RecoveryResult(rawValue: $0) }
        asked = try Message.Asked(fields)
    }
}

extension Message.Reject {
    fileprivate init(_ fields: HeaderReader) throws(WireError) {
        id = try fields.optional("id", "a UUID") { PresentationID($0) }
        code = try fields.required("code", "400 to 599") {
            HeaderReader.number($0).flatMap { RejectCode(number: $0) }
        }
        reason = try fields.requiredText("reason")
        retryMilliseconds = try fields.number("retry-ms")
    }
}
