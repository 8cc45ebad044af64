import Testing

@testable import BusNodeKit

struct ProgramSearchTests {
    private func find(_ program: String, _ path: String...) -> ProgramSearch.Result {
        ProgramSearch.find(Array(program.utf8), path: path.map { Array($0.utf8) })
    }

    @Test("A program is found in the order of the folders")
    func found() {
        #expect(find("sh", "/no/such", "/etc", "/bin") == .found(Array("/bin/sh".utf8)))
        #expect(find("/bin/sh") == .found(Array("/bin/sh".utf8)))
    }

    @Test("A program that cannot be run differs from a missing one")
    func missing() {
        #expect(find("passwd", "/etc") == .missing("Permission denied", exitCode: 126))
        #expect(find("etc", "/") == .missing("Is a directory", exitCode: 126))
        #expect(find("none", "/bin", "/etc/passwd") == .missing("command not found", exitCode: 127))
        #expect(find("none") == .missing("command not found", exitCode: 127))
        #expect(find("/none") == .missing("No such file or directory", exitCode: 127))
    }

    @Test("The path is that of the environment, with empty folders")
    func path() {
        let environment = ["X=PATH=/x", "PATH=/a::/b"].map { Array($0.utf8) }
        #expect(
            ProgramSearch.path(in: environment)
                == ["/a", "", "/b"].map { Array($0.utf8) })
        #expect(ProgramSearch.path(in: []).contains(Array("/bin".utf8)))
    }
}
