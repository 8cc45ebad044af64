import ErrorBus
import Foundation
import Testing

@testable import BusNodeKit

/// The containers of compose/, each of which is one node.
struct ComposeTests {
    private static let folder = URL(filePath: #filePath)
        .appending(path: "../../../compose").standardizedFileURL

    /// The volumes of each service, as in `journal:/var/lib/errorbus-journal`.
    private static func volumes() throws -> [String: [String]] {
        let file = folder.appending(path: "compose.yaml")
        var (volumes, section, service): ([String: [String]], String, String) = ([:], "", "")
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if let match = line.wholeMatch(of: #/([a-z-]+):.*/#) { section = String(match.1) }
            guard section == "services" else { continue }
            if let match = line.wholeMatch(of: #/ {2}([a-z0-9-]+):/#) {
                service = String(match.1)
            } else if let match = line.wholeMatch(of: #/ {6}- ([a-z0-9.\/-]+:\/\S+)/#) {
                volumes[service, default: []].append(String(match.1))
            }
        }
        return volumes
    }

    @Test("Each container has the secret key of its own node, and only the centre the journal")
    func secrets() throws {
        let file = Self.folder.appending(path: "topology.yaml").path
        let topology = try TopologyLoader.load(file).topology
        let volumes = try Self.volumes()
        let keys = try #require(topology.keys)
        let nodes = topology.settings
        #expect(nodes.count == 7)
        for node in nodes {
            let own = try #require(volumes[node.name.description])
            let sources = own.filter { $0.contains("keys") }
            #expect(sources == ["keys-\(node.name):\(keys):ro"])
            #expect(volumes["keys"]?.contains("keys-\(node.name):/keys/\(node.name)") == true)
            let folder = node.journal.map { FilePath.folder(of: $0) }
            #expect(own.contains { $0.hasPrefix("journal:") } == (folder != nil))
            if let folder { #expect(own.contains("journal:\(folder)")) }
        }
        #expect(nodes.compactMap(\.journal).count == 1)
        #expect(volumes.count == nodes.count + 1)
    }

    @Test("Each container writes the ledger of its own node alone, and the centre reads all")
    func ledgers() throws {
        let file = Self.folder.appending(path: "topology.yaml").path
        let topology = try TopologyLoader.load(file).topology
        let volumes = try Self.volumes()
        var folders: [String: String] = [:]
        for node in topology.settings {
            folders["data-\(node.name)"] = FilePath.folder(of: try #require(node.events))
        }
        #expect(Set(folders.values).count == topology.settings.count)
        for node in topology.settings {
            let own = try #require(volumes[node.name.description])
            var expected: Set<String> = []
            for (volume, folder) in folders {
                if volume == "data-\(node.name)" {
                    expected.insert("\(volume):\(folder)")
                } else if node.journal != nil {
                    expected.insert("\(volume):\(folder):ro")
                }
            }
            #expect(Set(own.filter { $0.hasPrefix("data") }) == expected)
            #expect(volumes["keys"]?.contains("data-\(node.name):/data/\(node.name)") == true)
        }
    }
}
