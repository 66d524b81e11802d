# Messages of rooms.

room = Room
room-open = Open a room
room-open-hint = A class follows this run on their own devices: code, step, groups, selection and pointer. No accounts, no names.
room-at = Room { $code }
room-about = About this room
room-members = { $count ->
    [one] { $count } student
   *[other] { $count } students
}
room-follow = Follow
room-copy = My copy
room-copy-means = Continue with the code that you changed
room-back = Back to the class
room-card = How to join
room-projector = Projector
room-projector-means = Open a second window for the projector, with large text and in step with this window
room-next = Next: line { $line }
room-next-none = This is the last step.
room-lost = I am lost
room-lost-sent = Sent
room-lost-here = { $count } lost here

room-connecting = Connecting to the room.
room-following = You follow the teacher.
room-wandering = You are on your own. Press F to follow.
room-alone-here = You are on your own.
room-unheard = No connection. Trying again.
room-unheard-alone = No connection. You are on your own.
room-ended = The room has ended. This page stays as it is.
room-leading = The class follows this page.
room-not-in-step = The class does not see this. Press F to return to its view.
room-unseen = The class does not see this: it stays at the last step.
room-alone = The server cannot be reached. This page continues alone, and the class catches up later.
room-taken = Another device teaches this room now.

room-join = Follow on your own device
room-picture = QR code of the room { $code }
room-no-network = Students cannot reach this page: its address works only on this machine, and the machine is not connected to a network.
room-listen-nearby = Students cannot reach this page: its address works only on this machine. Start the server so that the network can reach it, open the page at the address below, and open the room there:
room-open-nearby = Students cannot reach this page: its address works only on this machine. Open the page at the address below, and open the room there:

room-known = The teacher sees how many students follow, and at which steps students pressed “I am lost”. No names, no accounts, nothing about a single student.
room-known-teacher = The room ends when you end it, or after a day. Then members, votes and “I am lost” are deleted.
room-teach-here = Teach from this device
room-once-code = One-time code
room-claim = Teach here
room-device = Teach from a second device
room-device-means = Open the room { $code } on the other device, choose the code at the foot of the page, and type the one-time code there.
room-device-code = Show a one-time code
room-device-valid = { $count ->
    [one] Valid once, for { $count } minute.
   *[other] Valid once, for { $count } minutes.
}
room-take-means = This browser created the link of the room, so it can take the room over. All other devices of the teacher then stop leading.
room-take = Take the room over
room-end = End the room
room-end-means = The students' pages stay as they are and stop following.
room-end-sure = End the room for everybody

key-follow = room: follow the teacher again; as the teacher, back to what the class sees
key-lost = room: tell the teacher, without a name, that you are lost at this step
key-card = room: how to join, over the whole screen
