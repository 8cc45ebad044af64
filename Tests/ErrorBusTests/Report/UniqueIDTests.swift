import Testing

@testable import ErrorBus
@testable import ErrorBusCore

@Suite("Ids and digests as text")
struct UniqueIDTests {
    @Test(
        "An id is written in the canonical form, in lower case",
        arguments: [
            "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "01234567-89ab-cdef-0123-456789abcdef", "019A8F3C-0B1D-7E2F-8A90-00000000000B",
        ])
    func canonical(_ text: String) throws {
        #expect(try #require(UniqueID(text)).description == text.lowercased())
    }

    @Test(
        "A digest is written as 16 digits, zeros in front",
        arguments: ["0000000000000000", "00000000000000ff", "fedcba9876543210"])
    func digest(_ text: String) throws {
        #expect(try #require(ReportDigest(text)).description == text)
    }
}
