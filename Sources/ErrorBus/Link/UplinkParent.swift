/// What is remembered of one parent, beside what concerns only the one in use.
struct UplinkParent: Hashable, Sendable {
    /// What it called itself.
    var node: NodeName?
    /// Why it is not up; nil where it is, or was left for an earlier one, or was never tried.
    var failure: String?
    /// It is there, and does not take this node.
    var isRefusing = false
    /// Since when it is up, or is not.
    var since = MonotonicTime(milliseconds: 0)
}
