/// Something a peer sent that changes nothing: late, doubled, alien or malformed.
struct Anomaly: Hashable, Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case wrongDirection, unknownID, notTheAsker, supersededLink, lostLink, duplicate, late
        case malformed
        case whileClosed
        /// More came than could be dealt with.
        case overflow

        /// The operator of the node should know: no race explains it.
        var isFault: Bool {
            switch self {
            case .wrongDirection, .notTheAsker, .malformed, .overflow: true
            case .unknownID, .supersededLink, .lostLink, .duplicate, .late, .whileClosed: false
            }
        }
    }

    let kind: Kind
    let detail: String
}
