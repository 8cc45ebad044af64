import Testing

@testable import BusNodeKit
@testable import bus_node

struct TargetTests {
    @Test("A duration beyond the longest is refused with the longest")
    func tooLong() throws {
        #expect(try Target.duration("3650d", option: "--deadline") == .seconds(3650 * 86_400))
        #expect {
            _ = try Target.duration("3651d", option: "--deadline")
        } throws: { error in
            let failure = error as? Failure
            return failure?.status == .usage && failure?.text.contains("at most 3650d") == true
        }
    }
}
