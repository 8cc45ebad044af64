/// One request to the proxy's HTTP interface.
struct APIRequest: Hashable, Sendable {
    /// The largest body, in bytes.
    static let bodyByteMax = 64 * 1024

    let method: String
    /// Without the query.
    let path: String
    var body: [UInt8] = []

    /// The parts of the path.
    var segments: [String] { path.split(separator: "/").map(String.init) }
}
