extension NodeStatus {
    /// Reads what another node said of itself. A later version may say more, or leave out what
    /// nothing here depends on: only `node` is required.
    ///
    /// - Throws: When it is no JSON, or nothing that names its node.
    public init(payload: [UInt8]) throws(StatusFailure) {
        let json: JSONValue
        do {
            json = try JSONValue.parse(payload, limits: .report)
        } catch {
            throw .malformed("\(error)")
        }
        guard let node = json["node"]?.stringValue.flatMap({ NodeName($0) }) else {
            throw .malformed("no node in it")
        }
        self.init(node: node)
        version = json["version"]?.stringValue ?? ""
        boot = json["boot"]?.stringValue ?? ""
        upMilliseconds = json.time("upMilliseconds")
        openCount = json.count("open")
        tables = TableSizes(json.counts("tables"))
        counters = LinkCounters(json.counts("counters"))
        dropped = json.counts("dropped")
        parents = json.items("parents").map(ParentStatus.init)
        children = json.items("children").compactMap(ChildStatus.init)
        childrenLeftOut = json.count("childrenLeftOut")
        faults = json.items("faults").map(NotedFault.init)
    }
}

extension ParentStatus {
    fileprivate init(_ json: JSONValue) {
        self.init(
            node: json["node"]?.stringValue.flatMap { NodeName($0) },
            endpoint: json["endpoint"]?.stringValue ?? "",
            state: json["state"]?.stringValue.flatMap { State(rawValue: $0) } ?? .down,
            reason: json["reason"]?.stringValue, sinceMilliseconds: json.time("sinceMilliseconds"),
            openCount: json.count("open"))
    }
}

extension ChildStatus {
    fileprivate init?(_ json: JSONValue) {
        guard let name = json["name"]?.stringValue.flatMap({ NodeName($0) }) else { return nil }
        self.init(
            name: name, state: json["state"]?.stringValue.flatMap { State(rawValue: $0) } ?? .lost,
            sinceMilliseconds: json.time("sinceMilliseconds"), openCount: json.count("open"),
            answeredCount: json.count("answered"))
    }
}

extension NotedFault {
    fileprivate init(_ json: JSONValue) {
        self.init(
            source: json["source"]?.stringValue.flatMap { Source(rawValue: $0) } ?? .logged,
            text: json["text"]?.stringValue ?? "", count: max(1, json.count("count")),
            agoMilliseconds: json.time("agoMilliseconds"))
    }
}

extension JSONValue {
    fileprivate func time(_ key: String) -> UInt64 {
        UInt64(clamping: self[key]?.integerValue ?? 0)
    }

    fileprivate func count(_ key: String) -> Int { Int(clamping: time(key)) }

    fileprivate func counts(_ key: String) -> [String: Int] {
        (self[key]?.objectValue ?? [:]).compactMapValues { $0.integerValue.map { Int($0) } }
    }

    fileprivate func items(_ key: String) -> [JSONValue] { self[key]?.arrayValue ?? [] }
}
