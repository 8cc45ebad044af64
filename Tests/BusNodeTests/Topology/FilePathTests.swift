import Testing

@testable import BusNodeKit

/// Paths in configuration files, and their folders.
struct FilePathTests {
    @Test(
        "The folder of a path is what precedes its last slash, also at the root",
        arguments: [
            ("topology.yaml", ""), ("etc/topology.yaml", "etc"), ("./topology.yaml", "."),
            ("/etc/topology.yaml", "/etc"), ("/topology.yaml", "/"), ("/", "/"), ("", ""),
        ])
    func folder(path: String, folder: String) {
        #expect(FilePath.folder(of: path) == folder)
    }

    @Test(
        "A path is relative to the folder of the file that names it",
        arguments: [
            ("keys", "etc/topology.yaml", "etc/keys"), ("./keys", "/etc/t.yaml", "/etc/keys"),
            ("../keys", "/etc/t.yaml", "/etc/../keys"), ("/keys", "/etc/t.yaml", "/keys"),
            ("keys", "/topology.yaml", "/keys"), ("keys", "topology.yaml", "keys"),
            ("keys", "./topology.yaml", "keys"),
        ])
    func resolved(path: String, file: String, expected: String) {
        #expect(FilePath.resolve(path, in: FilePath.folder(of: file)) == expected)
    }

    @Test("All spellings of a path have one normal form")
    func normal() {
        for path in ["a/b", "./a/b", "a//b", "a/./b", "c/../a/b", "a/c/../b/"] {
            #expect(FilePath.normal(path) == "a/b")
        }
        #expect(FilePath.normal("/a/../b") == "/b")
        #expect(FilePath.normal("../a") == "../a" && FilePath.normal("a/../../b") == "../b")
    }
}
