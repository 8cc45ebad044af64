extension Message {
    /// The four frames after the envelope.
    var frames: [Frame] {
        [WireLimits.magic, Frame(verb.rawValue.utf8), header.frame, payload]
    }

    /// The bytes of its header frame.
    var headerByteCount: Int { header.byteCount }

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
            header.append("id", id.description)
            header.append("attempt", attempt)
        case .pending(let pending): pending.write(to: &header)
        case .await(let id, let wait):
            header.append("id", id.description)
            header.append("wait-ms", wait)
        case .answer(let id, let answer, let digest):
            header.append("id", id.description)
            header.append("digest", digest?.description)
            answer.write(to: &header)
        case .settled(let settled):
            header.append("id", settled.id.description)
            header.append("answer", settled.answer.description)
            header.append("result", settled.result.rawValue)
            header.append(settled.asked)
        case .withdraw(let id, let reason, let asked):
            header.append("id", id.description)
            header.append("reason", reason.rawValue)
            header.append(asked)
        case .withdrawn(let id): header.append("id", id.description)
        case .ping(let number), .pong(let number): header.append("n", number)
        case .reject(let reject): reject.write(to: &header)
        case .ok(let id): header.append("id", id?.description)
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
        append("digest", asked?.digest.description)
    }
}

extension [NodeName] {
    /// A path as a header field.
    var asHeaderField: String { map(\.description).joined(separator: ",") }
}

extension Message.Welcome {
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
    fileprivate func write(to header: inout Header) {
        header.append("id", id.description)
        header.append("attempt", attempt)
        header.append("origin", origin.description)
        header.append("path", path.asHeaderField)
        header.append("digest", digest?.description)
        header.append("left-ms", leftMilliseconds)
        header.append("wait-ms", waitMilliseconds)
        header.append("retry-of", retryOf?.description)
        header.append("traceparent", traceparent?.asHeaderText)
        if !isOriginReachable { header.append("reachable", "false") }
        header.append(unknownFields)
    }
}

extension Message.Pending {
    fileprivate func write(to header: inout Header) {
        header.append("id", id.description)
        header.append("state", state.rawValue)
        header.append("since-ms", sinceMilliseconds)
        header.append("by", by?.asHeaderText)
    }
}

extension Answer {
    fileprivate func write(to header: inout Header) {
        header.append("answer", id.description)
        header.append("by", by.asHeaderText)
        header.append("via", via.rawValue)
        header.append("option", chosen?.asHeaderText)
        header.append("did-recover", didRecover.map(String.init))
        header.append("reason", reason?.asHeaderText)
        header.append("second", second?.asHeaderText)
        header.append(extras.fields.map { Header.Field(name: $0.name, value: $0.value) })
    }
}

extension Message.Reject {
    fileprivate func write(to header: inout Header) {
        header.append("id", id?.description)
        header.append("code", UInt64(code.rawValue))
        header.append("reason", reason.asHeaderText)
        header.append("retry-ms", retryMilliseconds)
    }
}
