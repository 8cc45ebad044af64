extension NodeStatus {
    /// Asked at once, each by a connection and a thread of its own.
    private static let askedMax = 128

    /// Asks the nodes that listen at these endpoints how they are, all at once. It takes as long
    /// as the slowest of them, at most `limit` for each 128 of them.
    ///
    /// - Returns: One result for each endpoint, in their order.
    public static func ask(
        _ endpoints: [Endpoint], within limit: Duration = .seconds(2)
    ) async -> [Result<NodeStatus, StatusFailure>] {
        var results: [Result<NodeStatus, StatusFailure>] = []
        var rest = endpoints[...]
        while !rest.isEmpty {
            let inquiry = StatusInquiry(Array(rest.prefix(askedMax)))
            results += await inquiry.run(within: limit)
            rest = rest.dropFirst(askedMax)
        }
        return results
    }
}
