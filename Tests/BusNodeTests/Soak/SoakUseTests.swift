import ErrorBus
import Glibc
import Testing

@testable import BusLab

/// Each check has to bite, at its limit and on nothing else.
struct SoakUseTests {
    private func sample(mebibytes: Int, descriptors: Int, entries: Int?) -> ProcessSample {
        var sample = ProcessSample()
        sample.residentBytes = mebibytes << 20
        sample.descriptors = descriptors
        sample.tableEntries = entries
        return sample
    }

    private func violations(after: ProcessSample) -> [String] {
        let before = sample(mebibytes: 100, descriptors: 20, entries: 0)
        return SoakUse(name: "n", before: before, peak: before, after: after).violations
    }

    @Test("Memory may have grown by 10 %, and no more", arguments: [(110, 0), (111, 1), (90, 0)])
    func memory(mebibytes: Int, violationCount: Int) {
        let found = violations(after: sample(mebibytes: mebibytes, descriptors: 20, entries: 0))
        #expect(found.count == violationCount)
        #expect(found.allSatisfy { $0.contains("memory grew by 11") })
    }

    @Test("One more descriptor is a violation", arguments: [(20, 0), (21, 1), (19, 0)])
    func descriptors(count: Int, violationCount: Int) {
        let found = violations(after: sample(mebibytes: 100, descriptors: count, entries: 0))
        #expect(found.count == violationCount)
        #expect(found.allSatisfy { $0.contains("21 descriptors, 20 before") })
    }

    @Test(
        "Tables that are not empty, or not known, are a violation",
        arguments: [0, 1, nil] as [Int?])
    func tables(entries: Int?) {
        let found = violations(after: sample(mebibytes: 100, descriptors: 20, entries: entries))
        #expect(found.isEmpty == (entries == 0))
    }

    @Test("A process that is gone is a violation")
    func missing() {
        #expect(!violations(after: ProcessSample()).isEmpty)
        #expect(ProcessSample(pid: 0, statusFile: "/nowhere") == nil)
    }

    @Test("The sample of this process has values")
    func here() throws {
        let sample = try #require(ProcessSample(pid: getpid(), statusFile: "/nowhere"))
        #expect(sample.residentBytes > 1 << 20)
        #expect(sample.descriptors > 2)
        #expect(sample.tableEntries == nil)
    }
}
