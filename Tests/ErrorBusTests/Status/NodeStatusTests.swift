import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite struct NodeStatusTests {
    /// As large as a node can make it: every name, number and text at its longest.
    private static let largest: NodeStatus = {
        let name = NodeName(String(repeating: "n", count: 64)) ?? "n"
        var status = NodeStatus(node: name)
        status.version = String(repeating: "v", count: 256)
        status.boot = String(repeating: "b", count: 64)
        status.upMilliseconds = UInt64(Int64.max)
        let kinds =
            Anomaly.Kind.allCases.map(\.rawValue)
            + FailedConnections.Cause.allCases.map(\.rawValue)
        status.dropped = Dictionary(uniqueKeysWithValues: kinds.map { ($0, Int.max) })
        status.parents = ParentStatus.State.allCases.map { state in
            ParentStatus(
                node: name, endpoint: "ipc://" + String(repeating: "p", count: 107), state: state,
                reason: String(repeating: "\u{1F600}", count: 256),
                sinceMilliseconds: UInt64(Int64.max), openCount: 32_768)
        }
        status.children = (0..<NodeStatus.childrenMax).map { index in
            ChildStatus(
                name: NodeName(String(repeating: "c", count: 60) + "\(index % 10_000)") ?? name,
                state: .live, sinceMilliseconds: 9_999_999_999_999, openCount: 16_384,
                answeredCount: 65_536)
        }
        status.faults = (0..<20).map { index in
            NotedFault(
                source: .logged, text: String(repeating: "\"\u{1F600}", count: 128),
                count: Int.max, agoMilliseconds: UInt64(index))
        }
        return status
    }()

    @Test("a written status can be read")
    func roundTrip() throws {
        let status = Self.largest
        let read = try NodeStatus(payload: status.json.encoded())
        #expect(read.children == status.children)
        #expect(read.parents.map(\.state) == status.parents.map(\.state))
        #expect(read.faults == status.faults)
        #expect(read.dropped == status.dropped)
        #expect((read.node, read.boot, read.version) == (status.node, status.boot, status.version))
        #expect(read.upMilliseconds == status.upMilliseconds)
    }

    @Test("at its largest it fits into a payload, and into the limits of its reader")
    func bounded() {
        let bytes = Self.largest.json.encoded()
        #expect(bytes.count <= WireLimits.standard.payloadByteCountMax)
        #expect(throws: Never.self) {
            try Message(frames: Message.state(bytes).frames[...])
        }
    }

    @Test("a node of another version may send more or fewer members")
    func lenient() throws {
        let text = """
            {"node":"relay","more":[1],"children":[{"name":"a b"},{"name":"c","state":"asleep",\
            "open":-3}],"parents":[{"state":"dreaming","sinceMilliseconds":"x"}],"open":1.5,\
            "tables":{"children":2,"new":7},"faults":[{}]}
            """
        let status = try NodeStatus(payload: Array(text.utf8))
        #expect(status.node == "relay")
        #expect(status.children.map(\.name) == ["c"])
        #expect(status.children.map(\.state) == [.lost])
        #expect(status.children.map(\.openCount) == [0])
        #expect(status.parents.map(\.state) == [.down])
        #expect(status.openCount == 0)
        #expect(status.tables.children == 2)
        #expect(status.faults.map(\.count) == [1])
    }

    @Test("an invalid status is refused", arguments: ["", "[]", "{}", #"{"node":"a b"}"#, "{"])
    func malformed(_ text: String) {
        #expect(throws: StatusFailure.self) { try NodeStatus(payload: Array(text.utf8)) }
    }

    @Test("each table has its number under its own name")
    func tables() throws {
        var sizes = TableSizes()
        (sizes.children, sizes.openBelow, sizes.rememberedBelow) = (1, 2, 3)
        (sizes.attempts, sizes.offered, sizes.openAbove) = (4, 5, 6)
        (sizes.rememberedAbove, sizes.waiting) = (7, 8)
        var status = NodeStatus(node: "relay")
        status.tables = sizes
        let tables = try #require(try JSONValue.parse(status.json.encoded())["tables"])
        let names = [
            "children", "openBelow", "rememberedBelow", "attempts", "offered", "openAbove",
            "rememberedAbove", "waiting",
        ]
        #expect(names.map { tables[$0]?.integerValue } == [1, 2, 3, 4, 5, 6, 7, 8])
    }
}
