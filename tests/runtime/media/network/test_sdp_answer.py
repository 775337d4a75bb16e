from runtime.media.network.sdp_answer import with_opus_parameters

ANSWER = """v=0
m=audio 9 UDP/TLS/RTP/SAVPF 111
a=mid:0
a=rtpmap:111 opus/48000/2
a=sendrecv
""".replace("\n", "\r\n")


def test_opus_is_asked_for_with_copies_of_lost_frames() -> None:
    assert with_opus_parameters(ANSWER).splitlines() == [
        "v=0",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111",
        "a=mid:0",
        "a=rtpmap:111 opus/48000/2",
        "a=fmtp:111 minptime=10;useinbandfec=1",
        "a=sendrecv",
    ]


def test_parameters_that_are_there_stay_as_they_are() -> None:
    answer = ANSWER + "a=fmtp:111 useinbandfec=0\r\n"
    assert with_opus_parameters(answer) == answer
