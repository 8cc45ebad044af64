import Testing

@testable import BusNodeKit

/// What each origin gives up above a limit.
struct OriginSharesTests {
    @Test(
        "The origins that have the most give up until all have as much, the others nothing",
        arguments: [
            (["a": 100, "b": 3, "c": 1], 50, ["a": 50]),
            (["a": 10, "b": 8, "c": 1], 8, ["a": 5, "b": 3]),
            (["a": 5, "b": 3], 8, ["a": 5, "b": 3]), (["a": 5, "b": 3], 100, ["a": 5, "b": 3]),
            (["a": 5, "b": 0], 5, ["a": 5]), (["a": 5], 0, [:]), (["a": 5], -1, [:]), ([:], 5, [:]),
        ] as [([String: Int], Int, [String: Int])])
    func most(weights: [String: Int], excess: Int, expected: [String: Int]) {
        #expect(OriginShares.surplus(of: weights, excess: excess) == expected)
    }

    @Test("Names that begin with a process's own win it nothing")
    func madeUpNames() {
        var weights = ["web-1": 40, "web-2": 10, "db": 40, "": 3]
        for number in 1...100 { weights["web-3-\(number)"] = 1 }
        let surplus = OriginShares.surplus(of: weights, excess: 60)
        #expect(surplus.count == 60)
        #expect(surplus.allSatisfy { $0.key.hasPrefix("web-3-") && $0.value == 1 })
        // All that begins with `web` is more than what the others have.
        let further = OriginShares.surplus(of: weights, excess: 100)
        #expect(further["web-1"] == 20)
        #expect(further["db"] == nil && further[""] == nil && further["web-2"] == nil)
    }

    @Test("A name is apart from the names that begin with it, also one that ends in a hyphen")
    func wholeNames() {
        let weights = ["a": 9, "a-": 2, "a-b": 2, "a--": 2]
        #expect(OriginShares.surplus(of: weights, excess: 4) == ["a": 4])
        #expect(OriginShares.surplus(of: weights, excess: 15).values.reduce(0, +) == 15)
    }
}
