extension JSONValue {
    /// Reads one JSON text (RFC 8259, UTF-8), strictly.
    ///
    /// - Throws: ``JSONError`` with the offset of the first fault or of the first limit passed.
    ///   Bad input never does more than that, however it is nested or long.
    public static func parse(
        _ bytes: [UInt8], limits: JSONLimits = .report
    ) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> JSONValue in
            var parser = JSONParser(buffer, limits: limits)
            return try parser.parse()
        }
    }

    /// The value as JSON text in UTF-8: the same bytes for equal values. Numbers that are not
    /// finite are written as null. Writes values of any size: limits are for reading. What was
    /// read is never deeper than a thread's stack allows; the builder of a value sees to it.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }
}
