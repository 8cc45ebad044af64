extension ErrorReport {
    /// How much a report may be. What a peer sends beyond these is refused; what is made from a
    /// local error by ``init(describing:)`` is cut to fit.
    public enum Limits {
        /// The longest payload, in bytes.
        public static let payloadByteCount = JSONLimits.report.byteCount
        /// The deepest nesting of JSON in a payload.
        public static let depth = JSONLimits.report.depth
        /// The longest domain, in Unicode scalars. Errors are distinguished, counted and grouped by
        /// their domain and coalesce key, so both are short.
        public static let domainScalarCount = 256
        /// The longest coalesce key, in Unicode scalars.
        public static let coalesceKeyScalarCount = 256
        public static let optionCount = 32
        /// The longest title of an option, in Unicode scalars.
        public static let titleScalarCount = 256
        /// The longest id of an option, in bytes.
        public static let optionIDByteCount = 64
        /// The most underlying errors in all, however they are nested.
        public static let underlyingErrorCount = 64
        /// The most underlying errors inside one another: what fits into ``depth``, each
        /// taking an array and an object.
        public static let underlyingDepth = 15

        /// Where a local error is cut, in Unicode scalars and levels: chosen so that the texts,
        /// if every scalar had to be escaped, leave half of the payload to the rest.
        enum Local {
            static let textScalarCount = 4096
            static let helpAnchorScalarCount = 1024
            static let underlyingDepth = 8
            static let userInfoCount = 128
            static let userInfoDepth = 8
            static let keyScalarCount = 128
            /// For a value that is no JSON and is described as text.
            static let valueTextScalarCount = 1000
            /// For userInfo and underlying errors together, in bytes and in JSON values.
            static let restByteCount = 112 * 1024
            static let restValueCount = 10_000
            /// For one value of userInfo with all that is inside it.
            static let valueCount = 4_000
            /// For the names of what was described or left out.
            static let noteByteCount = 8 * 1024
        }
    }
}
