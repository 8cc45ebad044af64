"""The signature of a hook's message."""
import hashlib
import hmac
import re
import time

AGE_MAX = 300


def is_signed(headers, body, secret):
    """Whether a message was signed with this secret, in the last five minutes."""
    stamp = headers.get("ErrorBus-Timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", stamp) or abs(time.time() - int(stamp)) > AGE_MAX:
        return False
    code = hmac.new(secret.encode(), stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    # As bytes, since Python compares no texts with other characters than those of ASCII.
    said = headers.get("ErrorBus-Signature", "").encode(errors="replace")
    return hmac.compare_digest(said, b"sha256=" + code.encode())
