import ErrorBus
import Testing

@testable import BusNodeKit
@testable import bus_node

@Suite struct TopologyOutlineTests {
    @Test("parents are above their children, a second parent refers to the first")
    func tree() throws {
        let yaml = """
            version: 1
            nodes:
              central: { listen: "tcp://127.0.0.1:1", presenters: [terminal, { command: [x] }] }
              spare:
                listen: "ipc://s"
                presenters: [console: { listen: "127.0.0.1:*", url: "http://c" }]
                notify: [{ name: chat, url: "http://h:1/secret", on: [ended, opened] }]
              relay:
                next: [central, spare]
                listen: "tcp://127.0.0.1:2"
                responders: [{ match: {}, withhold: true }]
              worker: { next: "tcp://127.0.0.1:2" }
              alone: { next: "tcp://127.0.0.1:9" }
            """
        let root = try YAMLConfiguration.read(Array(yaml.utf8), file: "t.yaml")
        let loaded = try TopologyReader.read(
            root, folder: "", environment: [:],
            openPolicy: { (path) throws(ConfigurationFailure) in
                throw .unreadable(path: path, reason: "none")
            })
        #expect(
            TopologyOutline(loaded.topology).lines == [
                "central  listens on tcp://127.0.0.1:1  presenters terminal, command x",
                "└── relay  listens on tcp://127.0.0.1:2  1 rule",
                "    └── worker",
                "spare  listens on ipc://s  presenters console 127.0.0.1:*  "
                    + "notifies chat http://h:1 (opened, ended)",
                "└── relay (see above)",
                "alone  next tcp://127.0.0.1:9",
            ])
    }
}
