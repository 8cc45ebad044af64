/// The shares that origins have of a store with a limit. Above the limit the origin that has the
/// most gives up first, so that none pushes out what others need.
///
/// A node may use any name that begins with its own and a hyphen. So names share by their parts:
/// `web-1`, `web-2-a` and `web-2-b` are first the shares of `web-1` and `web-2`, and made-up names
/// win nothing.
enum OriginShares {
    private struct Share {
        let origin: String
        /// The parts of the name that are not looked at yet.
        var parts: ArraySlice<Substring>
        let weight: Int
    }

    /// The origins with the same next part; one origin alone if its name has ended.
    private struct Group {
        var shares: [Share] = []
        var weight = 0

        var name: String { shares.first?.origin ?? "" }

        mutating func add(_ share: Share) {
            var share = share
            share.parts = share.parts.dropFirst()
            shares.append(share)
            weight += share.weight
        }
    }

    /// What each origin gives up so that `excess` goes in all, or everything if there is no more.
    ///
    /// - Parameter weights: What each origin has.
    static func surplus(of weights: [String: Int], excess: Int) -> [String: Int] {
        let shares = weights.filter { $0.value > 0 }.map { origin, weight in
            Share(
                origin: origin,
                parts: origin.split(separator: "-", omittingEmptySubsequences: false)[...],
                weight: weight)
        }
        var surplus: [String: Int] = [:]
        take(excess, from: shares, into: &surplus)
        return surplus
    }

    private static func take(
        _ excess: Int, from shares: [Share], into surplus: inout [String: Int]
    ) {
        guard excess > 0, let first = shares.first else { return }
        guard shares.count > 1 else {
            surplus[first.origin] = min(excess, first.weight)
            return
        }
        var groups: [Substring?: Group] = [:]
        for share in shares { groups[share.parts.first, default: Group()].add(share) }
        let sorted = groups.values.sorted {
            $0.weight == $1.weight ? $0.name < $1.name : $0.weight > $1.weight
        }
        let level = level(of: sorted.map(\.weight), excess)
        var left = excess
        for group in sorted where group.weight > level && left > 0 {
            let given = min(left, group.weight - level)
            take(given, from: group.shares, into: &surplus)
            left -= given
        }
    }

    /// The weight that is left of each heavier one.
    ///
    /// - Parameter weights: The heaviest first.
    private static func level(of weights: [Int], _ excess: Int) -> Int {
        var sum = 0
        for (index, weight) in weights.enumerated() {
            sum += weight
            let level = (sum - excess) / (index + 1)
            let next = index + 1 < weights.count ? weights[index + 1] : 0
            if sum > excess, level >= next { return level }
        }
        return 0
    }
}
